import ErrandHTTPServer
import HTTPTypes

/// The responses to requests that no route matches.
enum RouteMiss {
    @Sendable static func answer(_ head: RequestHead, _ miss: Router.Miss) -> RequestDisposition {
        switch miss {
        case .unknownPath:
            .immediate(head.response(.notFound, "no such path; GET / lists the endpoints"))
        case .methodNotAllowed(let allow):
            .immediate(
                head.response(
                    .methodNotAllowed, "method \(head.method.rawValue) is not allowed; expected \(allow)",
                    headers: [.allow: allow]))
        case .options(let allow):
            .immediate(ServerResponse(status: .noContent, headers: options(allow)))
        }
    }

    /// Returns the fields of the response to `OPTIONS`: the methods, and the accepted patch type (RFC 5789 §3.1).
    private static func options(_ allow: String) -> HTTPFields {
        var headers: HTTPFields = [.allow: allow]
        if allow.split(separator: ", ").contains("PATCH") { headers[.acceptPatch] = JSONContent.mergePatch }
        return headers
    }
}
