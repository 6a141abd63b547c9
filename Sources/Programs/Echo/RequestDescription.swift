import ErrandHTTPServer
import ErrandJSON
import ErrandText
import HTTPTypes

/// A request as JSON, as returned by the sample upstream.
struct RequestDescription {
    let head: RequestHead
    let content: [UInt8]

    init(_ head: RequestHead, content: [UInt8] = []) {
        self.head = head
        self.content = content
    }

    /// Writes a JSON object: `method`, `url`, `args` and `headers` as pairs in the order received, `body` (its `size`,
    /// and its `text` or, if it is not UTF-8, `base64`; null when empty) and `json`, the content byte for byte if it is
    /// JSON, else null.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("method", head.method.rawValue)
        writer.member("url", url)
        writer.member("args")
        Self.write(pairs: head.target.queryItems.map { ($0.name, $0.value) }, to: &writer)
        writer.member("headers")
        writeHeaders(to: &writer)
        writer.member("body")
        writeContent(to: &writer)
        writer.member("json")
        writeJSON(to: &writer)
        writer.endObject()
    }

    /// Writes the header fields as an array of `[name, value]`.
    func writeHeaders(to writer: inout JSONWriter) {
        Self.write(pairs: head.headers.map { ($0.name.rawName, $0.value) }, to: &writer)
    }

    private var url: String {
        guard head.target.authority == nil, let authority = head.host else { return head.target.raw }
        return "http://\(authority)\(head.target.raw)"
    }

    private func writeContent(to writer: inout JSONWriter) {
        guard !content.isEmpty else { return writer.null() }
        writer.beginObject()
        writer.member("size", content.count)
        if let text = String(validating: content, as: UTF8.self) {
            writer.member("text", text)
        } else {
            writer.member("base64", Base64.encode(content))
        }
        writer.endObject()
    }

    private func writeJSON(to writer: inout JSONWriter) {
        do {
            let document = try JSONValidator.validate(content, limits: JSONLimits())
            writer.raw(content[document.range])
        } catch {
            // Null for content that is not JSON.
            writer.null()
        }
    }

    private static func write(pairs: [(String, String)], to writer: inout JSONWriter) {
        writer.beginArray()
        for (name, value) in pairs {
            writer.beginArray()
            writer.string(name)
            writer.string(value)
            writer.endArray()
        }
        writer.endArray()
    }
}
