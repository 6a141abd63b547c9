import ErrandSupport
import HTTPSession
import HTTPSessionObservability
import HTTPTypes
import Logging
import Testing

@Suite("LogMonitor", .timeLimit(.hang))
struct LogMonitorTests {
    private let log = RecordedLog()

    @Test("A success is a debug line with the status, and neither query nor header fields")
    func success() throws {
        LogMonitor(log.logger).attemptDidEnd(try .sample(status: 201, headers: [.setCookie: "a=secret"]))
        let line = try #require(log.lines.first)
        #expect(line.level == .debug)
        #expect(line.message == "Request succeeded")
        #expect(line["status"] == "201")
        #expect(line["url"] == "https://api.example/v1/users")
        #expect(line["method"] == "GET")
        #expect(line["session"] == "api")
        #expect(line["request"] == "7")
        #expect(line["duration_ms"] == "120")
        #expect(line["sent_bytes"] == "100")
        #expect(line["received_bytes"] == "2000")
        #expect(line["redirects"] == nil)
        #expect(line["error"] == nil)
        #expect(!"\(line)".contains("secret"))
    }

    @Test("A failure is a warning with the code and the reason")
    func failure() throws {
        let error = SessionError(.timedOut, "The request took longer than 5s")
        LogMonitor(log.logger).attemptDidEnd(try .sample(error: error))
        let line = try #require(log.lines.first)
        #expect(line.level == .warning)
        #expect(line.message == "Request failed")
        #expect(line["error"] == "timed_out")
        #expect(line["reason"] == "The request took longer than 5s")
        #expect(line["status"] == nil)
    }

    @Test("An attempt that its suspension has interrupted is no warning")
    func suspended() throws {
        var outcome = try MonitoredAttempt.sample(error: SessionError(.connectionLost, "Suspended")).outcome
        outcome.mayRestart = true
        outcome.wasLostToSuspension = true
        LogMonitor(log.logger).attemptDidEnd(MonitoredAttempt(url: try HTTPURL("http://a/"), outcome: outcome))
        #expect(log.lines.map(\.message) == ["Request interrupted by its suspension"])
        #expect(log.lines.map(\.level) == [.debug])
        #expect(log.lines.map { $0["error"] } == ["connection_lost"])
    }

    @Test("An attempt that its suspension has ended for good is a warning")
    func endedBySuspension() throws {
        var outcome = try MonitoredAttempt.sample(error: SessionError(.connectionLost, "Suspended")).outcome
        outcome.wasLostToSuspension = true
        LogMonitor(log.logger).attemptDidEnd(MonitoredAttempt(url: try HTTPURL("http://a/"), outcome: outcome))
        #expect(log.lines.map(\.message) == ["Request failed"])
        #expect(log.lines.map(\.level) == [.warning])
    }

    @Test("An attempt that a download repeats is a debug line with its status, whatever has ended its response")
    func repeated() throws {
        for error in [nil, SessionError.canceled] {
            var outcome = try MonitoredAttempt.sample(status: 206, error: error).outcome
            outcome.mayRestart = true
            LogMonitor(log.logger).attemptDidEnd(MonitoredAttempt(url: try HTTPURL("http://a/"), outcome: outcome))
        }
        #expect(log.lines.map(\.message) == ["Request repeated", "Request repeated"])
        #expect(log.lines.map(\.level) == [.debug, .debug])
        #expect(log.lines.map { $0["status"] } == ["206", "206"])
        #expect(log.lines.map { $0["error"] } == [nil, nil])
    }

    @Test("A reason may name the media type or the content coding of a response, or be the message of a hook's error")
    func reasons() async throws {
        let server = try ScriptedServer { (connection: ScriptedConnection) in
            while true {
                let line = try connection.readRequest().line
                let type = line.contains("/type") ? "text/x-own" : "application/json"
                let coding = line.contains("/coding") ? ["Content-Encoding: x-coding"] : []
                try connection.respond("200 OK", ["Content-Type: \(type)"] + coding, body: "[]")
            }
        }
        defer { server.stop() }
        let validator = ResponseCheck { _ in throw SessionError(.hookFailed, "Ada has no quota left") }
        let hooks = SessionHooks(validators: [validator], monitors: [.log(to: log.logger)])
        let api = try Session(baseURL: server.origin, hooks: hooks) {
            $0.timeouts = TransferTimeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(3600))
        }
        for path in ["type", "coding", "hook"] {
            await #expect(throws: SessionError.self) { try await api.get(path) }
        }
        let reasons = log.lines.compactMap { $0["reason"] }
        #expect(
            reasons == [
                "The content type is text/x-own; expected application/json, text/json or text/javascript",
                #"The content is coded as "x-coding", which was not offered; expected gzip or deflate"#,
                "Ada has no quota left",
            ])
    }

    @Test("A canceled request is no warning")
    func canceled() throws {
        LogMonitor(log.logger).attemptDidEnd(try .sample(error: .canceled))
        #expect(log.lines.map(\.level) == [.debug])
    }
}
