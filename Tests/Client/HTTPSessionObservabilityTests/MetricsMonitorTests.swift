import CoreMetrics
import HTTPSession
import HTTPSessionObservability
import HTTPTypes
import MetricsTestKit
import Testing

@Suite("MetricsMonitor")
struct MetricsMonitorTests {
    private let backend = TestMetrics()

    @Test("Attempts are counted and timed by session, method and outcome")
    func outcomes() throws {
        let monitor = MetricsMonitor(factory: backend)
        monitor.attemptDidEnd(try .sample(status: 200))
        monitor.attemptDidEnd(try .sample(status: 204))
        monitor.attemptDidEnd(try .sample(status: 503, error: SessionError(.unacceptableStatus, "503")))
        monitor.attemptDidEnd(try .sample(error: SessionError(.timedOut, "Too long")))
        let counted = { (outcome: String) throws -> [Int64] in
            let dimensions = [("session", "api"), ("method", "GET"), ("outcome", outcome)]
            return try backend.expectCounter("http_session_attempts", dimensions).values
        }
        #expect(try counted("2xx") == [1, 1])
        #expect(try counted("unacceptable_status") == [1])
        #expect(try counted("timed_out") == [1])
        let dimensions = [("session", "api"), ("method", "GET"), ("outcome", "2xx")]
        let durations = try backend.expectTimer("http_session_attempt_duration", dimensions).values
        #expect(durations == [120_000_000, 120_000_000])
        #expect(backend.counterTotal(label: "http_session_sent_bytes") == 400)
        #expect(backend.counterTotal(label: "http_session_received_bytes") == 8000)
    }

    @Test("After a hundred sessions, others share one dimension, and their bytes one counter")
    func manySessions() throws {
        let monitor = MetricsMonitor(factory: backend)
        for number in 0..<150 {
            monitor.attemptDidEnd(try .sample(session: "customer-\(number).example", status: 200))
        }
        #expect(backend.counters(label: "http_session_attempts").count == 101)
        #expect(try backend.expectCounter("http_session_sent_bytes", [("session", "other")]).values.count == 50)
        #expect(backend.counterTotal(label: "http_session_sent_bytes") == 15_000)
    }

    @Test("An attempt that its suspension has interrupted is no failure")
    func suspended() throws {
        var attempt = try MonitoredAttempt.sample(error: SessionError(.connectionLost, "Suspended"))
        var outcome = attempt.outcome
        outcome.mayRestart = true
        outcome.wasLostToSuspension = true
        outcome.metrics.suspended = .milliseconds(100)
        attempt = MonitoredAttempt(session: "api", url: attempt.url, outcome: outcome)
        MetricsMonitor(factory: backend).attemptDidEnd(attempt)
        let dimensions = [("session", "api"), ("method", "GET"), ("outcome", "suspended")]
        #expect(try backend.expectTimer("http_session_attempt_duration", dimensions).values == [20_000_000])
    }

    @Test("An attempt that a download repeats is counted by its status, and by its error if it has none")
    func repeated() throws {
        let monitor = MetricsMonitor(factory: backend)
        let rows: [(status: Int?, error: SessionError?, outcome: String)] = [
            (206, nil, "2xx"), (416, .canceled, "4xx"), (nil, SessionError(.connectionLost, "Lost"), "connection_lost"),
        ]
        for row in rows {
            let sample = try MonitoredAttempt.sample(status: row.status, error: row.error)
            var outcome = sample.outcome
            outcome.mayRestart = true
            monitor.attemptDidEnd(MonitoredAttempt(session: "api", url: sample.url, outcome: outcome))
            let dimensions = [("session", "api"), ("method", "GET"), ("outcome", row.outcome)]
            #expect(try backend.expectCounter("http_session_attempts", dimensions).values == [1])
        }
    }

    @Test("A method that is not a standard one is counted as other, under the chosen prefix")
    func methods() throws {
        let monitor = MetricsMonitor(prefix: "billing", factory: backend)
        monitor.attemptDidEnd(try .sample(method: #require(.init("PURGE")), status: 200))
        let dimensions = [("session", "api"), ("method", "other"), ("outcome", "2xx")]
        #expect(try backend.expectCounter("billing_attempts", dimensions).values == [1])
    }
}
