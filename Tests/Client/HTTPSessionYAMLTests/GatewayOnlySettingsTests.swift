import ErrandSupport
import HTTPSessionYAML
import Testing

@Suite("Settings of the gateway in a file of sessions")
struct GatewayOnlySettingsTests {
    private static let reason = "this is a setting of the gateway, without an effect in a program; remove it:"
    private static let pace = "\(reason) a program limits its requests where it makes them"
    private static let retry = "\(reason) a program adds a retrier to the hooks of the session, such as .backoff()"

    static let rows: [ProblemRow] = [
        .session("retry: {max_attempts: 5}", "4:5: sessions.a.retry: \(retry)"),
        .session("retry: 5", "4:5: sessions.a.retry: \(retry)"),
        .session(
            "limits: {concurrent: 4, rate: 10/s, burst: 20, max_queued: 5, bytes_per_second: 1MiB/s}",
            "4:14: sessions.a.limits.concurrent: \(pace)", "4:29: sessions.a.limits.rate: \(pace)",
            "4:41: sessions.a.limits.burst: \(pace)", "4:52: sessions.a.limits.max_queued: \(pace)"),
        .session(
            "circuit_breaker: {failures: many}",
            "4:5: sessions.a.circuit_breaker: \(reason) a program sees each error, and stops by itself"),
        .session(
            "response: {disposition: {over_limit: become_download, become_download_types: []}}",
            "4:30: sessions.a.response.disposition.over_limit: \(reason) a program decides by the head, "
                + "in the closure of stream(_:deciding:)",
            "4:59: sessions.a.response.disposition.become_download_types: \(reason) a program decides by the head, "
                + "in the closure of stream(_:deciding:)"),
        .session(
            "reachability: {probe: tcp, hold_when_unreachable: false}",
            "4:32: sessions.a.reachability.hold_when_unreachable: "
                + "\(reason) a program watches the reachability of the session"),
        ProblemRow(
            "session_defaults: {retry: {}, limits: {rate: null}}", "1:20: session_defaults.retry: \(retry)",
            "1:40: session_defaults.limits.rate: \(pace)"),
    ]

    @Test("A setting without an effect is refused, once and with its place", arguments: rows)
    func refused(row: ProblemRow) {
        row.check()
    }

    @Test(
        "No remedy names such a setting",
        arguments: [
            ProblemRow.session("limits: 4", "4:13: sessions.a.limits: expected a mapping, found text"),
            .session("limits: {concurent: 4}", "4:14: sessions.a.limits.concurent: unknown setting"),
            .session("retri: {}", "4:5: sessions.a.retri: unknown setting"),
        ])
    func remedies(row: ProblemRow) {
        row.check()
    }
}
