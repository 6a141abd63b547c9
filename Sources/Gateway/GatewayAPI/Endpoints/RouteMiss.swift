import ErrandHTTPServer
import HTTPTypes

/// The responses to requests that no route matches.
struct RouteMiss: Sendable {
    private let hints: RouteHints
    /// The patterns of the routes that need a token.
    private let closedPatterns: Set<String>

    /// Creates the responses.
    ///
    /// - Parameter routes: All routes, which a response may suggest.
    init(_ routes: [APIRoute]) {
        hints = RouteHints(routes)
        closedPatterns = Set(routes.filter { $0.need != .nothing }.map(\.pattern))
    }

    /// Returns the access that a request needs for its response: none if there are routes with its path, and none of
    /// them needs a token.
    func need(of miss: Router.Miss) -> AccessNeed {
        switch miss {
        case .unknownPath: .token
        case .methodNotAllowed(let routes), .options(let routes):
            routes.patterns.isEmpty || !routes.patterns.isDisjoint(with: closedPatterns) ? .token : .nothing
        }
    }

    /// Returns the response to a request.
    func answer(_ head: RequestHead, _ miss: Router.Miss) -> RequestDisposition {
        switch miss {
        case .unknownPath:
            let meant = hints.closest(to: head).map { "; did you mean \($0)?" } ?? ";"
            return .immediate(head.response(.notFound, "no such path\(meant) GET / lists the endpoints"))
        case .methodNotAllowed(let routes):
            let meant = hints.closest(to: head, onlyMethod: true).map { "; did you mean \($0)?" } ?? ""
            return .immediate(
                head.response(
                    .methodNotAllowed,
                    "method \(head.method.rawValue) is not allowed; expected \(routes.allow)\(meant)",
                    headers: [.allow: routes.allow]))
        case .options(let routes):
            return .immediate(ServerResponse(status: .noContent, headers: Self.options(routes.allow)))
        }
    }

    /// Returns the fields of the response to `OPTIONS`: the methods, and the accepted patch type (RFC 5789 §3.1).
    private static func options(_ allow: String) -> HTTPFields {
        var headers: HTTPFields = [.allow: allow]
        if allow.split(separator: ", ").contains("PATCH") { headers[.acceptPatch] = JSONContent.mergePatch }
        return headers
    }
}
