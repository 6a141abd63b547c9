import HTTPServer
import HTTPTypes

/// The rule that a JSON document is declared as one: a page of another origin can send a form without asking, but not
/// `application/json`.
enum JSONContent {
    /// The type of a change (RFC 7396).
    static let mergePatch = "application/merge-patch+json"

    /// The 415 for content that is not declared as JSON, or is coded; `nil` when it is plain JSON.
    ///
    /// Content is not decompressed: no client can send a few bytes that become many.
    static func refusal(of head: RequestHead) -> ServerResponse? {
        if let refusal = codingRefusal(of: head) { return refusal }
        guard !has("application/json", head) else { return nil }
        return head.answer(
            .unsupportedMediaType, "the content must be declared as Content-Type: application/json",
            headers: [.accept: "application/json"])
    }

    /// The 415 for content that is not declared as a merge patch, or is coded; `nil` when it is a plain one.
    ///
    /// It says what would be taken, as RFC 5789 §2.2 wants.
    static func patchRefusal(of head: RequestHead) -> ServerResponse? {
        if let refusal = codingRefusal(of: head) { return refusal }
        guard !has(mergePatch, head) else { return nil }
        return head.answer(
            .unsupportedPatchType, "the content must be declared as Content-Type: \(mergePatch)",
            headers: [.acceptPatch: mergePatch])
    }

    private static func codingRefusal(of head: RequestHead) -> ServerResponse? {
        guard head.headers[values: .contentEncoding].contains(where: { $0.lowercased() != "identity" }) else {
            return nil
        }
        return head.answer(
            .unsupportedContentCoding, "the content must be sent without Content-Encoding",
            headers: [.acceptEncoding: "identity"])
    }

    private static func has(_ expected: String, _ head: RequestHead) -> Bool {
        let types = head.headers[values: .contentType]
        guard types.count == 1, let type = types.first?.prefix(while: { $0 != ";" }) else { return false }
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == expected
    }
}
