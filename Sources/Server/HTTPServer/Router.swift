import HTTPTypes

/// A handler that dispatches requests to routes by path and method.
///
/// HEAD is accepted where GET is, by the route of GET. OPTIONS is answered with `Allow` unless a route handles it, and
/// a known path with another method is a 405 with `Allow` (RFC 9110 §9.3.2, §9.3.7, §15.5.6). A router is immutable; a
/// lookup costs one dictionary access for each segment.
public struct Router: HTTPHandler {
    /// A reason for which no route handles a request.
    public enum Miss: Sendable, Hashable {
        /// No route has the path.
        case unknownPath
        /// Routes have the path, but not the method.
        case methodNotAllowed(Alternatives)
        /// OPTIONS for a path that routes have, or for the server as a whole.
        case options(Alternatives)

        /// The routes that have the path of the request.
        public struct Alternatives: Sendable, Hashable {
            /// The value of `Allow`: the methods, sorted.
            public let allow: String
            /// The patterns of the routes; empty for the server as a whole.
            public let patterns: Set<String>

            /// Creates the value from its parts, for tests of a program's own response to a miss.
            public init(allow: String, patterns: Set<String>) {
                self.allow = allow
                self.patterns = patterns
            }
        }
    }

    private let tree: RouteTree
    private let miss: @Sendable (RequestHead, Miss) -> RequestDisposition

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - routes: The routes, in any order.
    ///   - miss: Makes the response if no route matches. By default problem details, and a 204 for OPTIONS.
    /// - Throws: ``RouteError`` if a pattern is malformed or two routes are equivalent.
    public init(
        routes: [Route], miss: @escaping @Sendable (RequestHead, Miss) -> RequestDisposition = Router.answer
    ) throws(RouteError) {
        var tree = RouteTree()
        for route in routes {
            try tree.insert(route)
        }
        self.tree = tree
        self.miss = miss
    }

    /// Passes the request to its route, and returns the pattern of the route in `route`.
    public func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        guard let (methods, values) = tree.find(head.target.segments) else {
            // `OPTIONS *` concerns the server as a whole (RFC 9110 §9.3.7).
            guard head.method == .options, head.target.path == "*" else { return miss(head, .unknownPath) }
            return miss(head, .options(Miss.Alternatives(allow: "GET, HEAD, OPTIONS", patterns: [])))
        }
        if let endpoint = endpoint(for: head.method, in: methods) {
            route = endpoint.pattern
            return endpoint.handler(head, RouteParameters(names: endpoint.parameterNames, values: values))
        }
        let alternatives = Miss.Alternatives(allow: allow(methods), patterns: methods.patterns)
        return miss(head, head.method == .options ? .options(alternatives) : .methodNotAllowed(alternatives))
    }

    private func endpoint(for method: HTTPRequest.Method, in methods: RouteTree.Methods) -> RouteTree.Endpoint? {
        if let endpoint = methods.byMethod[method] { return endpoint }
        if method == .head, let endpoint = methods.byMethod[.get] { return endpoint }
        return methods.any
    }

    private func allow(_ methods: RouteTree.Methods) -> String {
        var names = Set(methods.byMethod.keys.map(\.rawValue))
        if names.contains("GET") { names.insert("HEAD") }
        names.insert("OPTIONS")
        return names.sorted().joined(separator: ", ")
    }

    /// Returns the default response to a request without a route: problem details, or a 204 with `Allow` for OPTIONS.
    public static func answer(_ head: RequestHead, _ miss: Miss) -> RequestDisposition {
        switch miss {
        case .unknownPath:
            return .immediate(ProblemDetails(.notFound, detail: "no resource exists at \(head.target.path)").response())
        case .methodNotAllowed(let routes):
            let problem = ProblemDetails(
                .methodNotAllowed, detail: "expected \(routes.allow), found \(head.method.rawValue)")
            return .immediate(problem.response(headers: [.allow: routes.allow]))
        case .options(let routes):
            return .immediate(ServerResponse(status: .noContent, headers: [.allow: routes.allow]))
        }
    }
}
