import ErrandHTTPGrammar
import ErrandTransfer
import HTTPTypes

/// Validation of a response by its head: first its content type, then its status.
///
/// | content type | status | error |
/// | --- | --- | --- |
/// | acceptable | acceptable | none |
/// | unacceptable, with content | acceptable | `unacceptable_content_type` |
/// | unacceptable, no content | acceptable | none |
/// | acceptable, or no content | unacceptable | `unacceptable_status` |
/// | unacceptable, with content | unacceptable | `unacceptable_status` with underlying `unacceptable_content_type` |
struct ResponseValidation: Sendable {
    let statuses: StatusSet
    /// The acceptable content types; `nil` for any.
    let contentTypes: [MediaRange]?

    /// Returns the error of a response with this head; `nil` if it is acceptable.
    func error(of head: ResponseHead, hasContent: Bool) -> SessionError? {
        let contentTypeError = hasContent ? contentTypeError(of: head) : nil
        guard !statuses.contains(head.status) else { return contentTypeError }
        return SessionError(
            .unacceptableStatus, "The status is \(Self.shown(head.status)); \(Self.expected(statuses.rangeTexts))",
            isRetryable: Self.isPassing(head.status), underlying: contentTypeError)
    }

    private func contentTypeError(of head: ResponseHead) -> SessionError? {
        guard let contentTypes, !contentTypes.contains(where: \.isAny) else { return nil }
        let value = head.headers.first { $0.name == .contentType }?.value
        // The answer to `If-Range` need not state again what the first response has stated (RFC 9110 §15.3.7).
        if value == nil, head.status == 206 { return nil }
        let mediaType = value.flatMap { MediaType(field: $0) }
        if let mediaType, contentTypes.contains(where: { $0.contains(mediaType) }) { return nil }
        let found =
            if let mediaType {
                "The content type is \(Self.truncated(mediaType))"
            } else if value == nil {
                "The response has no content type"
            } else {
                "The content type is malformed"
            }
        let expected = Self.expected(contentTypes.map { Self.truncated($0) })
        return SessionError(.unacceptableContentType, "\(found); \(expected)")
    }

    /// Returns a content type, truncated to the maximum length of one (RFC 6838 §4.2: 127 characters for each part).
    private static func truncated(_ type: some CustomStringConvertible) -> String {
        String(type.description.prefix(255))
    }

    /// Returns a status with its registered phrase: the upstream's own can be any text, and HTTP/2 has none.
    private static func shown(_ status: Int) -> String {
        StatusPhrase.of(status).map { "\(status) (\($0))" } ?? "\(status)"
    }

    /// The number of acceptable values that an error lists.
    private static let maxListed = 5

    /// Names the acceptable values; of a long list the first ones, and the number of the others.
    private static func expected(_ values: [String]) -> String {
        guard values.count > 1 else { return values.first.map { "expected \($0)" } ?? "none is acceptable" }
        let listed = values.prefix(values.count <= maxListed ? values.count - 1 : maxListed - 1)
        let others = values.dropFirst(listed.count)
        let last = others.count == 1 ? others.joined() : "\(others.count) others"
        return "expected \(listed.joined(separator: ", ")) or \(last)"
    }

    /// Returns true for the statuses after which a retry may succeed.
    private static func isPassing(_ status: Int) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        default: false
        }
    }
}
