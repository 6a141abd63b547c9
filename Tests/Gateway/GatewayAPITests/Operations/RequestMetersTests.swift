import ErrandHTTPServer
import ErrandMetrics
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI

@Suite("RequestMeters")
struct RequestMetersTests {
    private let meters = RequestMeters()

    private func count(
        _ method: HTTPRequest.Method?, _ route: String?, _ status: Int, _ duration: Duration = .milliseconds(1)
    ) {
        meters.count(
            BegunResponse(
                method: method, route: route, status: HTTPResponse.Status(code: status), duration: duration))
    }

    private var lines: [String] {
        var writer = MetricsWriter(.prometheus)
        meters.writeMetrics(to: &writer)
        return String(decoding: writer.finish(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Requests are counted by route, method and status")
    func counts() {
        for _ in 1...3 { count(.get, "/v1/tasks/{id}", 200) }
        count(.head, "/v1/tasks/{id}", 200)
        count(.get, "/v1/tasks/{id}", 404)
        count(.delete, "/v1/tasks/{id}", 204)
        let route = #"route="/v1/tasks/{id}""#
        for line in [
            #"errand_http_requests_total{\#(route),method="GET",code="200"} 3"#,
            #"errand_http_requests_total{\#(route),method="HEAD",code="200"} 1"#,
            #"errand_http_requests_total{\#(route),method="GET",code="404"} 1"#,
            #"errand_http_requests_total{\#(route),method="DELETE",code="204"} 1"#,
            #"errand_http_request_duration_seconds_count{\#(route)} 6"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("Requests without a route, and with methods that the API does not have, share their labels")
    func bounded() throws {
        for number in 1...50 {
            let method: HTTPRequest.Method = try #require(HTTPRequest.Method(rawValue: "ODD\(number)"))
            count(method, nil, 501)
            count(nil, nil, 400)
        }
        #expect(
            lines.filter { $0.hasPrefix("errand_http_requests_total{") } == [
                #"errand_http_requests_total{route="other",method="other",code="501"} 50"#,
                #"errand_http_requests_total{route="other",method="other",code="400"} 50"#,
            ])
    }

    @Test("The time of a request is counted in the bucket of its route")
    func durations() {
        count(.get, "/readyz", 200, .milliseconds(20))
        count(.get, "/readyz", 503, .seconds(2))
        count(.get, "/metrics", 200, .zero)
        let route = #"route="/readyz""#
        for line in [
            #"errand_http_request_duration_seconds_bucket{\#(route),le="0.01"} 0"#,
            #"errand_http_request_duration_seconds_bucket{\#(route),le="0.025"} 1"#,
            #"errand_http_request_duration_seconds_bucket{\#(route),le="1.0"} 1"#,
            #"errand_http_request_duration_seconds_bucket{\#(route),le="5.0"} 2"#,
            #"errand_http_request_duration_seconds_sum{\#(route)} 2.02"#,
            #"errand_http_request_duration_seconds_count{route="/metrics"} 1"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }
}
