import ErrandHTTPServer
import HTTPTypes

/// The paths all of whose routes need no token, such as `/healthz`.
struct OpenPaths: Sendable {
    /// Finds the pattern of a path, whatever the method.
    private let paths: Router
    private let patterns: Set<String>

    /// Creates the set of some routes.
    ///
    /// - Throws: An error in the patterns.
    init(_ routes: [APIRoute]) throws(RouteError) {
        let all = Set(routes.map(\.pattern))
        patterns = all.subtracting(routes.filter { $0.need != .nothing }.map(\.pattern))
        paths = try Router(
            routes: all.map { pattern in
                Route(nil, pattern) { _, _ in .immediate(ServerResponse(status: .noContent)) }
            },
            miss: { _, _ in .immediate(ServerResponse(status: .notFound)) })
    }

    /// Returns true if the path of a request is one of them.
    func contains(_ head: RequestHead) -> Bool {
        var pattern: String?
        _ = paths.admit(head, route: &pattern)
        return pattern.map(patterns.contains) ?? false
    }
}
