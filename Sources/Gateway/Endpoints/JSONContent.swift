import HTTPServer
import HTTPTypes

/// The rule that a JSON document is declared as one: a page of another origin can send a form without asking, but not
/// `application/json`.
enum JSONContent {
    /// The 415 for content that is not declared as JSON, or is coded; `nil` when it is plain JSON.
    ///
    /// Content is not decompressed: no client can send a few bytes that become many.
    static func refusal(of head: RequestHead) -> ServerResponse? {
        if head.headers[values: .contentEncoding].contains(where: { $0.lowercased() != "identity" }) {
            return head.answer(
                .unsupportedContentCoding, "the content must be sent without Content-Encoding",
                headers: [.acceptEncoding: "identity"])
        }
        let types = head.headers[values: .contentType]
        guard types.count == 1, let type = types.first, isJSON(type) else {
            return head.answer(
                .unsupportedMediaType, "the content must be declared as Content-Type: application/json",
                headers: [.accept: "application/json"])
        }
        return nil
    }

    private static func isJSON(_ value: String) -> Bool {
        let type = value.prefix { $0 != ";" }
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }
}
