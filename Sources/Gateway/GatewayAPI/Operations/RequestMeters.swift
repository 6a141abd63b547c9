import ErrandHTTPServer
import ErrandLocking
import ErrandMetrics
import HTTPTypes

/// The counts of the API's requests since the start of the process, by route, method and status.
///
/// A record takes one lock for a moment; it allocates memory only for the first request of a route, and for the first
/// one with a method and status. The number of counts is bounded by the routes, the methods and the statuses of the
/// gateway: no text of a client becomes a label. Any thread.
package final class RequestMeters: Sendable {
    /// The label of requests without a route.
    static let otherRoute = "other"

    private struct State {
        /// The meters, which are changed in place.
        var meters: [RouteMeter] = []
        /// The positions of the routes in `meters`.
        var indices: [String: Int] = [:]

        mutating func index(of route: String) -> Int {
            if let index = indices[route] { return index }
            indices[route] = meters.count
            meters.append(RouteMeter(route: route))
            return meters.count - 1
        }
    }

    private let state = Mutex(State())

    /// Creates counts of zero.
    package init() {}

    /// Counts a request, whose response has begun.
    func count(_ response: BegunResponse) {
        let method = RouteMeter.label(of: response.method)
        let seconds = response.duration / .seconds(1)
        state.withLock { state in
            let index = state.index(of: response.route ?? Self.otherRoute)
            state.meters[index].count(method, response.status.code, seconds: seconds)
        }
    }

    /// Writes the metrics of requests, sorted by route.
    func writeMetrics(to writer: inout MetricsWriter) {
        let meters = state.withLock { $0.meters }.sorted { $0.route < $1.route }
        writer.family(
            "errand_http_requests", kind: .counter,
            help: "Requests of the API that got a response, by route and status.")
        for meter in meters {
            for count in meter.counts {
                writer.sample(
                    count.number,
                    [("route", meter.route), ("method", count.method), ("code", String(count.status))])
            }
        }
        writer.family(
            "errand_http_request_duration_seconds", kind: .histogram,
            help: "Time from a request to the start of its response.")
        for meter in meters { writer.sample(meter.seconds, [("route", meter.route)]) }
    }
}

/// The counts of one route.
struct RouteMeter: Sendable {
    /// The limits of the buckets, in seconds.
    static let limits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]

    /// The number of requests with a method and a status.
    struct Count: Sendable, Hashable {
        let method: String
        let status: Int
        var number: Int
    }

    /// The pattern of the route.
    let route: String
    /// The counts, in the order of the first request of each.
    private(set) var counts: [Count] = []
    /// The times from the requests to the start of their responses.
    private(set) var seconds = Histogram(limits: Self.limits)

    /// Creates counts of zero.
    init(route: String) {
        self.route = route
    }

    /// Counts a request.
    ///
    /// - Parameter method: One of the texts that ``label(of:)`` returns.
    mutating func count(_ method: String, _ status: Int, seconds: Double) {
        self.seconds.observe(seconds)
        // A route has few of them.
        guard let index = counts.firstIndex(where: { $0.status == status && $0.method == method }) else {
            return counts.append(Count(method: method, status: status, number: 1))
        }
        counts[index].number += 1
    }

    /// Returns the label of a method: its name if the API has routes with it, otherwise `other`.
    static func label(of method: HTTPRequest.Method?) -> String {
        switch method {
        case .get?: "GET"
        case .head?: "HEAD"
        case .post?: "POST"
        case .put?: "PUT"
        case .patch?: "PATCH"
        case .delete?: "DELETE"
        case .options?: "OPTIONS"
        default: "other"
        }
    }
}
