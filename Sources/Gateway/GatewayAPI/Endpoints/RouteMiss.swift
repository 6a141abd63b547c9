import ErrandHTTPServer
import HTTPTypes

/// The responses to requests that no route matches.
struct RouteMiss: Sendable {
    private let hints: RouteHints

    /// Creates the responses.
    ///
    /// - Parameter routes: The routes that a response may suggest.
    init(_ routes: [APIRoute]) {
        hints = RouteHints(routes)
    }

    /// Returns the response to a request.
    @Sendable func answer(_ head: RequestHead, _ miss: Router.Miss) -> RequestDisposition {
        switch miss {
        case .unknownPath:
            let meant = hints.closest(to: head).map { "; did you mean \($0)?" } ?? ";"
            return .immediate(head.response(.notFound, "no such path\(meant) GET / lists the endpoints"))
        case .methodNotAllowed(let allow):
            let meant = hints.closest(to: head, onlyMethod: true).map { "; did you mean \($0)?" } ?? ""
            return .immediate(
                head.response(
                    .methodNotAllowed, "method \(head.method.rawValue) is not allowed; expected \(allow)\(meant)",
                    headers: [.allow: allow]))
        case .options(let allow):
            return .immediate(ServerResponse(status: .noContent, headers: Self.options(allow)))
        }
    }

    /// Returns the fields of the response to `OPTIONS`: the methods, and the accepted patch type (RFC 5789 §3.1).
    private static func options(_ allow: String) -> HTTPFields {
        var headers: HTTPFields = [.allow: allow]
        if allow.split(separator: ", ").contains("PATCH") { headers[.acceptPatch] = JSONContent.mergePatch }
        return headers
    }
}
