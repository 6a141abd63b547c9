import ErrandSupport
import Testing

@testable import ErrandSessionSettings

@Suite("Problems of a session")
struct SessionProblemTests {
    static let settings: [ProblemRow] = [
        .session(
            "headers: {Host: a, content-length: 5, 'X Y': 1, Proxy-Authorization: x}",
            "4:15: sessions.a.headers.Host: Host is set from the URL",
            "4:24: sessions.a.headers.content-length: Content-Length is set from the content",
            "4:43: sessions.a.headers.\"X Y\": expected a header name: letters, digits and marks such as -",
            "4:53: sessions.a.headers.Proxy-Authorization: Proxy fields can be set only in the session's configuration"),
        .session(
            "headers: {X-A: \"a\\nb\", x-a: c, X-B: [1]}",
            "4:20: sessions.a.headers.X-A: A header value must not contain line breaks",
            "4:28: sessions.a.headers.x-a: duplicate header; names are not case-sensitive",
            "4:41: sessions.a.headers.X-B: expected a header value, found a list"),
        .session(
            "allow_methods: [GET, 'A B', CONNECT, trace]",
            "4:26: sessions.a.allow_methods[1]: expected a method such as GET, found \"A B\"",
            "4:33: sessions.a.allow_methods[2]: CONNECT is not supported: tasks cannot open tunnels",
            "4:42: sessions.a.allow_methods[3]: TRACE is not supported: the response would repeat the credentials of the request"
        ),
        .session(
            "response: {acceptable_statuses: [200-100, 99, 1000, axx, 200-300-400, '']}",
            "4:38: sessions.a.response.acceptable_statuses[0]: \(statusExpected) \"200-100\"",
            "4:47: sessions.a.response.acceptable_statuses[1]: \(statusExpected) \"99\"",
            "4:51: sessions.a.response.acceptable_statuses[2]: \(statusExpected) \"1000\"",
            "4:57: sessions.a.response.acceptable_statuses[3]: \(statusExpected) \"axx\"",
            "4:62: sessions.a.response.acceptable_statuses[4]: \(statusExpected) \"200-300-400\"",
            "4:75: sessions.a.response.acceptable_statuses[5]: \(statusExpected) \"\""
        ),
        .session(
            "response: {acceptable_statuses: [], acceptable_content_types: []}",
            "4:37: sessions.a.response.acceptable_statuses: expected at least one item, found an empty list",
            "4:67: sessions.a.response.acceptable_content_types: expected at least one item, found an empty list"),
        .session("response: {acceptable_content_types: null}"),
        .session(
            "allow_methods: []", "4:20: sessions.a.allow_methods: expected at least one item, found an empty list"),
        .session(
            "response: {acceptable_content_types: [json]}",
            "4:43: sessions.a.response.acceptable_content_types[0]: expected a content type such as application/json or text/*, found \"json\""
        ),
        .session(
            "response: {disposition: {max_body: 65MiB}}",
            "4:40: sessions.a.response.disposition.max_body: expected at most 64MiB: the serializer json reads the content as a whole"
        ),
        .session("response: {serializer: raw, disposition: {max_body: 65MiB}}"),
        .session("response: {serializer: [raw], disposition: {max_body: 65MiB}}"),
        .session(
            "response: {serializer: [json, xml, json]}",
            "4:28: sessions.a.response.serializer: duplicate serializer in the list"),
        .session(
            "response: {disposition: {over_limit: spool}}",
            "4:42: sessions.a.response.disposition.over_limit: expected fail or become_download, found \"spool\""
        ),
        .session(
            "limits: {concurrent: 0, rate: 0/s}",
            "4:26: sessions.a.limits.concurrent: expected a whole number from 1 to 100000, found \"0\"",
            "4:35: sessions.a.limits.rate: expected a rate above 0 such as 100/s, found \"0/s\""),
        .session(
            "headers: {\((0...1000).map { "x-\($0): a" }.joined(separator: ", "))}",
            "4:14: sessions.a.headers: expected at most 1000 entries, found 1001"),
        .session("headers: {\((0..<1000).map { "x-\($0): a" }.joined(separator: ", "))}"),
        .session(
            "connection: {resolve: {\((0...1000).map { "h\($0): 127.0.0.1" }.joined(separator: ", "))}}",
            "4:27: sessions.a.connection.resolve: expected at most 1000 entries, found 1001"),
        .session(
            "connection: {resolve: {a.example: [\(Array(repeating: "192.0.2.1", count: 33).joined(separator: ", "))]}}",
            "4:39: sessions.a.connection.resolve.\"a.example\": expected at most 32 addresses, found 33"),
        .session("limits: {burst: 5}", "4:21: sessions.a.limits.burst: burst requires rate"),
        .session("limits: {rate: 600/m, burst: 5, bytes_per_second: 1MiB/s, max_queued: 0}"),
        .session("limits: {bytes_per_second: 50000}"),
        .session(
            "limits: {bytes_per_second: 1000}",
            "4:32: sessions.a.limits.bytes_per_second: expected a rate from 1KiB/s to 1TiB/s"),
        .session(
            "limits: {bytes_per_second: 1MiB, max_queued: -1}",
            "4:32: sessions.a.limits.bytes_per_second: expected a rate such as 1KiB/s, found \"1MiB\"; did you mean 1MiB/s?",
            "4:50: sessions.a.limits.max_queued: expected a whole number from 0 to 1000000000, found \"-1\""),
        .session(
            "circuit_breaker: {failures: x, window: 0s, open: 1}",
            "4:33: sessions.a.circuit_breaker.failures: expected a whole number from 0 to 100000, found \"x\"",
            "4:44: sessions.a.circuit_breaker.window: expected a duration from 1ms to 1d"),
        .session(
            "retry: {max_attempts: 0, backoff: {multiplier: 0.5, jitter: 1.1, max: 1h}, after_crash: maybe}",
            "4:27: sessions.a.retry.max_attempts: expected a whole number from 1 to 1000, found \"0\"",
            "4:52: sessions.a.retry.backoff.multiplier: expected a number from 1 to 100, found \"0.5\"",
            "4:65: sessions.a.retry.backoff.jitter: expected a number from 0 to 1, found \"1.1\"",
            "4:93: sessions.a.retry.after_crash: expected safe, resend or fail, found \"maybe\""),
        .session(
            "retry: {backoff: {initial: 2h}}",
            "4:32: sessions.a.retry.backoff.initial: expected at most backoff.max (1h); raise backoff.max"),
        .session("retry: {backoff: {initial: 2h, max: 2h}}"),
        .session(
            "retry: {backoff: {initial: 2h, max: x}}",
            "4:41: sessions.a.retry.backoff.max: expected a duration such as 30s, found \"x\""),
        .session(
            "retry: {backoff: {max: 100ms}}",
            "4:28: sessions.a.retry.backoff.max: expected at least backoff.initial (500ms); lower backoff.initial"),
        ProblemRow(
            """
            session_defaults: {retry: {backoff: {max: 10s}}}
            sessions: {a: {base_url: 'http://a/', retry: {backoff: {initial: 1m}}}}
            """,
            "2:66: sessions.a.retry.backoff.initial: expected at most backoff.max (10s); raise backoff.max"),
        .session(
            "retry: {methods: [GET, ''], statuses: [99, 500-504], budget: {ratio: -1, min_per_second: 0}}",
            "4:28: sessions.a.retry.methods[1]: expected a method such as GET, found \"\"",
            "4:44: sessions.a.retry.statuses[0]: expected a status such as 204, a class such as 5xx or a range such as 200-299, from 100 to 999, found \"99\"",
            "4:74: sessions.a.retry.budget.ratio: expected a number from 0 to 100, found \"-1\"",
            "4:94: sessions.a.retry.budget.min_per_second: expected a number from 0.001 to 1000000, found \"0\""),
        .session(
            "request: {serializer: jsn}",
            "4:27: sessions.a.request.serializer: expected form, json, plist, multipart or raw, found \"jsn\"; did you mean json?"
        ),
        .session(
            "request: {arrays: dots, nested: comma, booleans: yes, nulls: null, spaces: '+'}",
            "4:23: sessions.a.request.arrays: expected brackets, indices, repeat or comma, found \"dots\"",
            "4:37: sessions.a.request.nested: expected brackets or dots, found \"comma\"",
            "4:54: sessions.a.request.booleans: expected numeric or literal, found \"yes\"",
            "4:66: sessions.a.request.nulls: expected key, empty, drop or literal, found nothing",
            "4:80: sessions.a.request.spaces: expected percent or plus, found \"+\""),
        .session(
            "request: {json: {prety: true}, compress: br, compress_min: -1}",
            "4:22: sessions.a.request.json.prety: unknown setting; did you mean pretty?",
            "4:46: sessions.a.request.compress: expected none, gzip or deflate, found \"br\"",
            "4:64: sessions.a.request.compress_min: expected a size such as 64MiB, found \"-1\""),
        .session(
            "request: {multipart_throttle: {packet: 0, delay: 2m, rate: 1}}",
            "4:44: sessions.a.request.multipart_throttle.packet: expected a size from 1 to 1GiB",
            "4:54: sessions.a.request.multipart_throttle.delay: expected a duration from 1ms to 1m",
            "4:58: sessions.a.request.multipart_throttle.rate: unknown setting"),
        .session(
            "request: {multipart_throttle: slow}",
            "4:35: sessions.a.request.multipart_throttle: expected none or a mapping, found \"slow\""),
        .session(
            "response: {serializer: jsn}",
            "4:28: sessions.a.response.serializer: \(serializerExpected), found \"jsn\"; did you mean json?"
        ),
        .session(
            "response: {serializer: [json, yaml]}",
            "4:35: sessions.a.response.serializer[1]: \(serializerExpected), found \"yaml\""),
        .session(
            "response: {serializer: []}",
            "4:28: sessions.a.response.serializer: expected at least one item, found an empty list"),
        .session(
            "response: {serializer: [raw, xml], disposition: {max_body: 64MiB}}"),
        .session(
            "response: {serializer: [raw, xml], disposition: {max_body: 65MiB}}",
            "4:64: sessions.a.response.disposition.max_body: expected at most 64MiB: the serializers raw, xml read the content as a whole"
        ),
        .session(
            "response: {serializer: [json, yaml], disposition: {max_body: 65MiB}}",
            "4:35: sessions.a.response.serializer[1]: \(serializerExpected), found \"yaml\""),
        .session(
            "response: {remove_nulls: 1, disposition: {become_download_types: [zip]}}",
            "4:30: sessions.a.response.remove_nulls: expected true or false, found \"1\"",
            "4:71: sessions.a.response.disposition.become_download_types[0]: expected a content type such as application/json or text/*, found \"zip\""
        ),
        .session(
            "redirects: {mode: same, limit: 101, keep_method_on_301_302: 1}",
            "4:23: sessions.a.redirects.mode: expected follow, same_origin or refuse, found \"same\"; did you mean same_origin?",
            "4:36: sessions.a.redirects.limit: expected a whole number from 0 to 100, found \"101\"",
            "4:65: sessions.a.redirects.keep_method_on_301_302: expected true or false, found \"1\""),
        .session(
            "cookies: false",
            "4:14: sessions.a.cookies: expected off, ephemeral or persistent, found \"false\"; did you mean off?"),
        .session(
            "timeouts: {idle: fast, suspended_keep: 0}",
            "4:22: sessions.a.timeouts.idle: expected a duration such as 30s, found \"fast\"",
            "4:44: sessions.a.timeouts.suspended_keep: expected a duration from 1ms to 31d"),
        .session(
            "reachability: {probe: udp, interval: 0, hold_when_unreachable: maybe}",
            "4:27: sessions.a.reachability.probe: expected passive, tcp or a mapping, found \"udp\"",
            "4:42: sessions.a.reachability.interval: expected a duration from 1s to 1d",
            "4:68: sessions.a.reachability.hold_when_unreachable: expected true or false, found \"maybe\""),
        .session(
            "reachability: {probe: {https: /health}}",
            "4:28: sessions.a.reachability.probe.https: unknown setting; did you mean http?"),
        .session(
            "reachability: {probe: {http: 'http://elsewhere/health'}}",
            "4:34: sessions.a.reachability.probe.http: expected a path on the origin of base_url, such as /health"),
        .session(
            "reachability: {probe: {http: '//elsewhere/'}}",
            "4:34: sessions.a.reachability.probe.http: expected a path on the origin of base_url, such as /health"),
        ProblemRow(
            "sessions: {a: {url_scope: any, reachability: {probe: tcp}}}",
            "1:54: sessions.a.reachability.probe: probing requires base_url"),
        ProblemRow(
            "sessions: {a: {url_scope: any, reachability: {probe: {http: /}}}}",
            "1:54: sessions.a.reachability.probe: probing requires base_url"),
        ProblemRow(
            "sessions: {a: {url_scope: any, reachability: {hold_when_unreachable: true}}}",
            "1:70: sessions.a.reachability.hold_when_unreachable: probing requires base_url"),
        ProblemRow("sessions: {a: {url_scope: any, reachability: {interval: 5s}}}"),
    ]

    private static let serializerExpected = "expected json, xml, plist, text, image, raw or auto"

    private static let statusExpected =
        "expected a status such as 204, a class such as 5xx or a range such as 200-299, from 100 to 999, found"

    @Test("Each problem is reported with its location and setting", arguments: settings)
    func problems(row: ProblemRow) {
        row.check()
    }
}
