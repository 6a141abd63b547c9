import ErrandJSON
import ErrandResponseSerialization
import ErrandSessionCore

/// A message about a task's end, stored together with the end.
///
/// It is the same for every attempt, except for the time and the signatures.
struct CallbackMessage: Sendable, Hashable {
    /// The identifier of the message: `webhook-id` of Standard Webhooks.
    var id: String
    /// The URL that it is posted to, as the client wrote it.
    var url: String
    /// The content.
    var body: [UInt8]

    /// The header field with the identifier of the message.
    static let idHeader = "webhook-id"
    /// The header field with the time of the attempt, in seconds since 1970.
    static let timestampHeader = "webhook-timestamp"
    /// The header field with the signatures.
    static let signatureHeader = "webhook-signature"

    /// The request, without time and signatures.
    ///
    /// Any response with a successful status is accepted, and no other, whatever its content and the rules of the
    /// session. The message is only for the URL that the client has named, so redirects are not followed: a redirect to
    /// GET would lose the content and count as delivered.
    var request: TaskRequest {
        var request = TaskRequest(
            method: "POST", path: url,
            headers: [TaskHeader("Content-Type", "application/json"), TaskHeader(Self.idHeader, id)],
            body: .bytes(body), responseSerializer: .raw)
        request.followsRedirects = false
        request.isJudgedByStatus = true
        request.acceptableStatuses = .success
        // The content is what was signed.
        request.mayCompress = false
        return request
    }

    /// The document to be stored: a task document with ``request``.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", "POST")
        writer.member("path", url)
        writer.member("headers")
        writer.beginObject()
        writer.member(Self.idHeader, id)
        writer.endObject()
        writer.member("body")
        writer.beginObject()
        writer.member("json")
        writer.raw(body)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// Decodes a stored ``document``.
    init(document bytes: [UInt8]) throws(SessionError) {
        let document: JSONDocument
        do {
            // The message holds what an upstream has answered, which may be as deep as any limit allows.
            document = try JSONDocument.parse(
                task: bytes, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth))
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
