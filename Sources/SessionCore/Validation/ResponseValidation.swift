import HTTPGrammar
import HTTPTypes
import Transfer

/// Whether a response is one of success, by its head: first its content type, then its status.
///
/// | content type | status | error |
/// | --- | --- | --- |
/// | acceptable | acceptable | none |
/// | another, content | acceptable | `unacceptable_content_type` |
/// | another, no content | acceptable | none |
/// | acceptable, or no content | another | `unacceptable_status` |
/// | another, content | another | `unacceptable_status` with `unacceptable_content_type` behind it |
struct ResponseValidation: Sendable {
    let statuses: StatusSet
    /// `nil` for any.
    let contentTypes: [MediaRange]?

    /// Judges `head`.
    func error(of head: ResponseHead, hasContent: Bool) -> SessionError? {
        let contentTypeError = hasContent ? contentTypeError(of: head) : nil
        guard !statuses.contains(head.status) else { return contentTypeError }
        return SessionError(
            .unacceptableStatus, "Request failed: \(Self.phrase(for: head.status))",
            isRetryable: Self.isPassing(head.status), underlying: contentTypeError)
    }

    private func contentTypeError(of head: ResponseHead) -> SessionError? {
        guard let contentTypes, !contentTypes.contains(where: \.isAny) else { return nil }
        let value = head.headers.first { $0.name == .contentType }?.value
        let mediaType = value.flatMap { MediaType($0) }
        if let mediaType, contentTypes.contains(where: { $0.contains(mediaType) }) { return nil }
        let found = mediaType.map(Self.shown) ?? (value == nil ? "none" : "malformed")
        return SessionError(.unacceptableContentType, "Request failed: unacceptable content-type: \(found)")
    }

    /// What the upstream wrote, as far as it is a content type's length (RFC 6838 §4.2: 127 characters a part).
    private static func shown(_ mediaType: MediaType) -> String {
        String(mediaType.description.prefix(255))
    }

    /// With the registered phrase: the upstream's own is anything, and HTTP/2 has none.
    private static func phrase(for status: Int) -> String {
        StatusPhrase.of(status).map { "\($0) (\(status))" } ?? "(\(status))"
    }

    /// The statuses after which another attempt may well succeed.
    private static func isPassing(_ status: Int) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        default: false
        }
    }
}
