import HTTPTypes

/// Finds what answers a request, by its path and method.
///
/// HEAD works wherever GET does, with the GET's route. OPTIONS is answered with `Allow` unless a route takes it, and a
/// known path with another method is a 405 with `Allow` (RFC 9110 §9.3.2, §9.3.7, §15.5.6). A router never changes
/// after it is made; finding a route costs a dictionary lookup a segment.
public struct Router: HTTPHandler {
    /// What a router answers by itself when no route takes a request.
    public enum Miss: Sendable, Hashable {
        /// No route has the path.
        case unknownPath
        /// Routes have the path, but not the method. `allow` is the value of `Allow`.
        case methodNotAllowed(allow: String)
        /// OPTIONS for a path that routes have. `allow` is the value of `Allow`.
        case options(allow: String)
    }

    private let tree: RouteTree
    private let miss: @Sendable (RequestHead, Miss) -> Admission

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - routes: The routes, in any order.
    ///   - miss: What answers when no route does. By default problem details, and a 204 for OPTIONS.
    /// - Throws: ``RouteError`` when a pattern is malformed or two routes are the same.
    public init(
        routes: [Route], miss: @escaping @Sendable (RequestHead, Miss) -> Admission = Router.answer
    ) throws(RouteError) {
        var tree = RouteTree()
        for route in routes {
            try tree.insert(route)
        }
        self.tree = tree
        self.miss = miss
    }

    /// Hands the request to its route.
    public func admit(_ head: RequestHead) -> Admission {
        guard let (methods, values) = tree.find(head.target.segments) else {
            // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
            guard head.method == .options, head.target.path == "*" else { return miss(head, .unknownPath) }
            return miss(head, .options(allow: "GET, HEAD, OPTIONS"))
        }
        if let endpoint = endpoint(for: head.method, in: methods) {
            return endpoint.handler(head, RouteParameters(names: endpoint.parameterNames, values: values))
        }
        let allow = allow(methods)
        return miss(head, head.method == .options ? .options(allow: allow) : .methodNotAllowed(allow: allow))
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

    /// The answer to a request that no route takes: problem details, or a 204 with `Allow` for OPTIONS.
    public static func answer(_ head: RequestHead, _ miss: Miss) -> Admission {
        switch miss {
        case .unknownPath:
            return .answer(ProblemDetails(.notFound, detail: "there is nothing at \(head.target.path)").response())
        case .methodNotAllowed(let allow):
            let problem = ProblemDetails(.methodNotAllowed, detail: "\(head.method.rawValue) is not one of \(allow)")
            return .answer(problem.response(headers: [.allow: allow]))
        case .options(let allow):
            return .answer(ServerResponse(status: .noContent, headers: [.allow: allow]))
        }
    }
}
