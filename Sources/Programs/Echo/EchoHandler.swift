package import ErrandHTTPServer

/// The sample upstream: a small HTTP service with typical upstream behaviours, for experiments and tests.
///
/// It stores no state. Only responses that repeat the request are buffered, with a size limit; `/bytes` and `/upload`
/// stream any amount of content.
package struct EchoHandler: HTTPHandler {
    private let router: Router

    /// Creates the service.
    ///
    /// - Parameter clock: The clock for `/delay` and `/drip`.
    /// - Throws: ``RouteError`` if two endpoints match the same requests.
    package init(clock: some Clock<Duration> = ContinuousClock()) throws(RouteError) {
        let endpoints: [Endpoint] = [
            .anything, .headers, .status, .redirect, .basicAuth, .delay(clock: clock), .drip(clock: clock), .bytes,
            .range, .stream, .gzip, .upload,
        ]
        router = try Router(routes: (endpoints + [.index(of: endpoints)]).flatMap(\.routes))
    }

    /// Forwards the request to its endpoint.
    package func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        router.admit(head, route: &route)
    }
}
