import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

extension Endpoint {
    /// `/status/N`: returns this status, with the header fields that RFC 9110 requires for it.
    static let status = Endpoint(
        nil, "/status/{code}", summary: "any method: the status, from 200 to 599"
    ) { head, parameters throws(ProblemDetails) in
        let code = try Arguments(head, parameters).integer("code", in: 200...599)
        return .reply(to: head, response(status: HTTPResponse.Status(code: Int(code))))
    }

    private static func response(status: HTTPResponse.Status) -> ServerResponse {
        var headers: HTTPFields = [:]
        switch status.code {
        case 204, 205, 304: return ServerResponse(status: status)
        case 300, 301, 302, 303, 307, 308: headers[.location] = "/anything"
        case 401: headers[.wwwAuthenticate] = "Basic realm=\"echo\""
        case 405: headers[.allow] = "GET"
        case 407: headers[.proxyAuthenticate] = "Basic realm=\"echo\""
        default: break
        }
        return .json(status: status, headers: headers) { writer in
            writer.beginObject()
            writer.member("status", status.code)
            writer.endObject()
        }
    }
}
