import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

extension ServerResponse {
    /// Creates a response with a JSON document.
    static func json(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ write: (inout JSONWriter) -> Void
    ) -> ServerResponse {
        var writer = JSONWriter()
        write(&writer)
        var headers = headers
        headers[.contentType] = "application/json"
        return ServerResponse(status: status, headers: headers, body: .bytes(writer.bytes))
    }
}
