import JSON
import ResponseSerialization
import SessionCore

/// A message about a task's end, as it is stored when the task has reached it: it is the same on every attempt, but for
/// the time and the signatures.
struct CallbackMessage: Sendable, Hashable {
    /// Names the message: `webhook-id` of Standard Webhooks.
    var id: String
    /// Where it is posted to, as the client has written it.
    var url: String
    /// The content.
    var body: [UInt8]

    /// The header field that names the message.
    static let idHeader = "webhook-id"
    /// The header field with the time of the attempt, in seconds since 1970.
    static let timestampHeader = "webhook-timestamp"
    /// The header field with the signatures.
    static let signatureHeader = "webhook-signature"

    /// The request, without time and signatures.
    ///
    /// Any response of a status of success will do, whatever the content. A message is for whom the client has named, so
    /// that redirects are not followed; as a GET it would say nothing, and be taken for delivered.
    var request: TaskRequest {
        var request = TaskRequest(
            method: "POST", path: url,
            headers: [TaskHeader("Content-Type", "application/json"), TaskHeader(Self.idHeader, id)],
            body: .json(body), responseSerializer: .raw)
        request.followsRedirects = false
        return request
    }

    /// The message as it is stored: the task document that asks for ``request``.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method")
        writer.string("POST")
        writer.member("path")
        writer.string(url)
        writer.member("headers")
        writer.beginObject()
        writer.member(Self.idHeader)
        writer.string(id)
        writer.endObject()
        writer.member("body")
        writer.beginObject()
        writer.member("json")
        writer.raw(body)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// Reads back what ``document`` has made.
    init(document bytes: [UInt8]) throws(SessionError) {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(bytes)
        } catch {
            throw Self.unreadable
        }
        guard let object = document.root.object, let url = object["path"]?.string,
            let id = object["headers"]?.object?[Self.idHeader]?.string, let body = object["body"]?.object?["json"]
        else { throw Self.unreadable }
        self.init(id: id, url: url, body: Array(document.slice(of: body)))
    }

    /// Creates a message.
    init(id: String, url: String, body: [UInt8]) {
        self.id = id
        self.url = url
        self.body = body
    }

    private static let unreadable = SessionError(.internal, "The stored message cannot be read")
}
