import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

extension Endpoint {
    /// `/gzip`: returns the request without its content as JSON in gzip coding, whatever the client accepts.
    static let gzip = Endpoint([.get], "/gzip", summary: "the request as JSON in gzip coding") { head, _ in
        var writer = JSONWriter()
        RequestDescription(head).write(to: &writer)
        let headers: HTTPFields = [.contentType: "application/json", .contentEncoding: "gzip"]
        let body = ResponseBody.bytes(StoredGzip.encode(writer.bytes))
        return .reply(to: head, ServerResponse(status: .ok, headers: headers, body: body))
    }
}
