import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// The requirement of a JSON content type.
///
/// A page of another origin cannot send `application/json` without a preflight. It can send a form, also one with a task
/// (``UploadForm``): such a request has an `Origin`, by which it is refused.
enum JSONContent {
    /// The media type of a merge patch (RFC 7396).
    static let mergePatch = "application/merge-patch+json"
    private static let json = "application/json"
    /// The media type that `curl --data` declares without a remark.
    private static let form = "application/x-www-form-urlencoded"

    /// Returns the refusal (415) of content that is not declared as JSON or has a content coding, else `nil`.
    ///
    /// Content is not decompressed, which rules out decompression bombs.
    ///
    /// - Parameter isOptional: True if the request needs no content.
    static func refusal(of head: RequestHead, isOptional: Bool = false) -> RequestRefusal? {
        if let refusal = codingRefusal(of: head) { return refusal }
        guard !has(json, head) else { return nil }
        return RequestRefusal(
            .unsupportedMediaType, detail(of: head, expecting: json, isOptional: isOptional),
            headers: [.accept: json])
    }

    /// Returns the refusal (415) of content that is not declared as a merge patch or has a content coding, else `nil`.
    ///
    /// The response names the accepted type (RFC 5789 §2.2).
    static func patchRefusal(of head: RequestHead) -> RequestRefusal? {
        if let refusal = codingRefusal(of: head) { return refusal }
        guard !has(mergePatch, head) else { return nil }
        return RequestRefusal(
            .unsupportedPatchType, detail(of: head, expecting: mergePatch),
            headers: [.acceptPatch: mergePatch])
    }

    /// Returns the refusal (415) of content with a content coding, else `nil`.
    ///
    /// - Parameter remedy: The action of the client, as the detail of the problem.
    static func codingRefusal(
        of head: RequestHead, _ remedy: String = "the content must be sent without Content-Encoding"
    ) -> RequestRefusal? {
        guard head.headers[values: .contentEncoding].contains(where: { $0.lowercased() != "identity" }) else {
            return nil
        }
        return RequestRefusal(.unsupportedContentCoding, remedy, headers: [.acceptEncoding: "identity"])
    }

    /// Returns the expected type, the found one and the remedy.
    private static func detail(of head: RequestHead, expecting expected: String, isOptional: Bool = false) -> String {
        let types = head.headers[values: .contentType]
        let found = types.isEmpty ? "none" : types.joined(separator: ", ").shortened(toBytes: 100)
        let remedy = types == [form] ? ", the default of curl --data: add -H 'Content-Type: \(expected)'" : ""
        let start = isOptional ? "send no content, or declare it" : "the content must be declared"
        return "\(start) as Content-Type: \(expected); found \(found)\(remedy)"
    }

    private static func has(_ expected: String, _ head: RequestHead) -> Bool {
        let types = head.headers[values: .contentType]
        guard types.count == 1, let value = types.first else { return false }
        // The usual spelling, which needs no copy.
        if value == expected { return true }
        let type = value.prefix { $0 != ";" }
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == expected
    }
}
