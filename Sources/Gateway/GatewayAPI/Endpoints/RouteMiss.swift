import ErrandHTTPServer
import HTTPTypes

/// The responses to requests that no route matches.
struct RouteMiss: Sendable {
    private let hints: RouteHints
    private let openPaths: OpenPaths

    /// Creates the responses.
    ///
    /// - Parameter routes: All routes, which a response may suggest.
    /// - Throws: An error in the routes.
    init(_ routes: [APIRoute]) throws(RouteError) {
        hints = RouteHints(routes)
        openPaths = try OpenPaths(routes)
    }

    /// Returns the access that a request needs for its response: none if no route with its path needs a token.
    func need(of head: RequestHead) -> AccessNeed { openPaths.contains(head) ? .nothing : .token }

    /// Returns the response to a request.
    func answer(_ head: RequestHead, _ miss: Router.Miss) -> RequestDisposition {
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
