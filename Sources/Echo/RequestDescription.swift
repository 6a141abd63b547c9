import BinaryText
import HTTPServer
import HTTPTypes
import JSON

/// A request as the sample upstream tells it back.
struct RequestDescription {
    let head: RequestHead
    let content: [UInt8]

    init(_ head: RequestHead, content: [UInt8] = []) {
        self.head = head
        self.content = content
    }

    /// A JSON object: `method`, `url`, `args` and `headers` as pairs in the order they came, `body` (its `size`, and
    /// its `text` or, where it is not UTF-8, `base64`; null when empty) and `json`, the content byte for byte where it
    /// is JSON, else null.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("method")
        writer.string(head.method.rawValue)
        writer.member("url")
        writer.string(url)
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

    /// The header fields, an array of `[name, value]`.
    func writeHeaders(to writer: inout JSONWriter) {
        Self.write(pairs: head.headers.map { ($0.name.rawName, $0.value) }, to: &writer)
    }

    private var url: String {
        guard let host = HTTPField.Name("Host"), let authority = head.headers[host] else { return head.target.raw }
        return "http://\(authority)\(head.target.raw)"
    }

    private func writeContent(to writer: inout JSONWriter) {
        guard !content.isEmpty else { return writer.null() }
        writer.beginObject()
        writer.member("size")
        writer.int(content.count)
        if let text = String(validating: content, as: UTF8.self) {
            writer.member("text")
            writer.string(text)
        } else {
            writer.member("base64")
            writer.string(Base64.encode(content))
        }
        writer.endObject()
    }

    private func writeJSON(to writer: inout JSONWriter) {
        do {
            let document = try JSONValidator.validate(content, limits: JSONLimits())
            writer.raw(content[document.range])
        } catch {
            // Content need not be JSON: null says that it is not.
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
