import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Logging
import Testing

@testable import ErrandGateway
@testable import ErrandGatewaySupport

@Suite("The log of a gateway", .timeLimit(.hang))
struct LogTests {
    private let log = RecordedLog()

    private func count(_ message: String) -> Int { log.lines.count { $0.message == message } }

    @Test("Attempts are logged for debugging, and the ends of tasks if the setting says so, also after a reload")
    func ends() async throws {
        let fixture = try GatewayFixture(logger: log.logger)
        try await fixture.open {
            let first = try await fixture.run()
            #expect(await log.line("Attempt ended")["task"] == first.id)
            #expect(count("Task ended") == 0)
            var configuration = fixture.gateway.configuration
            configuration.logging.taskEnds = true
            try await fixture.gateway.apply(configuration)
            let second = try await fixture.run()
            let ended = await log.line("Task ended")
            #expect(ended["task"] == second.id)
            #expect(ended["state"] == "succeeded")
            #expect(ended["duration_ms"] != nil)
            configuration.logging.taskEnds = false
            try await fixture.gateway.apply(configuration)
            _ = try await fixture.run()
            #expect(count("Task ended") == 1)
        }
    }

    @Test("A gateway begins with the setting of its configuration")
    func initial() async throws {
        let fixture = try GatewayFixture(logger: log.logger) { $0.logging.taskEnds = true }
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            _ = try await fixture.task(.post, "/v1/tasks/\(task.id)/cancel")
            #expect(await log.line("Task ended")["state"] == "canceled")
        }
    }

    @Test("A circuit that opens is a warning")
    func circuit() async throws {
        var session = try DispatcherFixture.configuration()
        session.retry.maxAttempts = 1
        session.circuitBreaker = CircuitBreakerConfiguration(failures: 2)
        let transport = ScriptedTransport { _ in [.head(ResponseHead(status: 503)), .bytes([])] }
        let fixture = try GatewayFixture(session: session, transport: transport, logger: log.logger)
        try await fixture.open {
            _ = try await fixture.run()
            #expect(!log.lines.contains { $0.message.hasPrefix("Circuit") })
            _ = try await fixture.run()
            let line = await log.line("Circuit opened: the upstream keeps failing, and no attempt starts")
            #expect(line.level == .warning)
            #expect(line.metadata == ["session": "up", "failures": "2", "next_attempt_in": "30s"])
        }
    }

    @Test("A full queue is one warning, and the tasks that it refuses later are counted")
    func fullQueue() async throws {
        var session = try DispatcherFixture.configuration(concurrent: 1)
        session.limits.maxQueued = 1
        let gate = ScriptedTransport.Gate()
        let transport = ScriptedTransport([.wait(gate)] + DispatcherFixture.response)
        let fixture = try GatewayFixture(session: session, transport: transport, logger: log.logger)
        try await fixture.open {
            let key = ["Idempotency-Key: queued"]
            let task = #"{"session":"up"}"#
            #expect(try await fixture.response(.post, "/v1/tasks", json: task).status == .accepted)
            #expect(try await fixture.response(.post, "/v1/tasks", json: task, fields: key).status == .accepted)
            for _ in 0..<3 {
                let refused = try await fixture.response(.post, "/v1/tasks", json: task)
                #expect(refused.status == .tooManyRequests)
            }
            #expect(try await fixture.response(.post, "/v1/tasks", json: task, fields: key).status == .ok)
            let line = await log.line("Task refused: the queue is full")
            #expect(line.metadata == ["session": "up", "max_queued": "1"])
            #expect(count("Task refused: the queue is full") == 1)
            gate.open()
        }
        let counted = await log.line("More tasks were refused because the queue is full")
        #expect(counted.metadata == ["session": "up", "tasks": "2"])
    }
}
