package import HTTPServer

/// The sample upstream: a small HTTP service that answers in the ways a client has to cope with.
///
/// For trying the gateway out and for its tests. It keeps nothing, and no answer is held in memory as a whole but the
/// few that repeat the request, which are bounded: `/bytes` and `/upload` move any amount of content.
package struct EchoHandler: HTTPHandler {
    private let router: Router

    /// Creates the service.
    ///
    /// - Parameter clock: What `/delay` and `/drip` wait by.
    /// - Throws: ``RouteError`` when two endpoints want the same requests.
    package init(clock: some Clock<Duration> = ContinuousClock()) throws(RouteError) {
        let endpoints: [Endpoint] = [
            .anything, .headers, .status, .redirect, .basicAuth, .delay(clock: clock), .drip(clock: clock), .bytes,
            .range, .stream, .gzip, .upload,
        ]
        router = try Router(routes: (endpoints + [.index(of: endpoints)]).flatMap(\.routes))
    }

    /// Hands the request to its endpoint.
    package func admit(_ head: RequestHead) -> Admission {
        router.admit(head)
    }
}
