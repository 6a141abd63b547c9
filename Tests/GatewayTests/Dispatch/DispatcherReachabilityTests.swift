import Locking
import SessionCore
import Support
import TaskAdmission
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("Dispatcher: upstreams that cannot be reached", .timeLimit(.minutes(1)))
struct DispatcherReachabilityTests {
    /// An upstream that is down until it is up.
    private final class Upstream: Sendable {
        private let state = Mutex(false)

        func comeUp() { state.withLock { $0 = true } }

        var transport: ScriptedTransport {
            let down = TransferError(.cannotConnect, "Connection refused")
            return ScriptedTransport { [self] _ in
                state.withLock { $0 } ? nil : down
            } _: { [self] _ in
                state.withLock { $0 } ? DispatcherFixture.answer : [.fail(down)]
            }
        }
    }

    private func fixture(
        _ upstream: Upstream, holds: Bool, clock: any Clock<Duration> = ContinuousClock()
    ) throws -> DispatcherFixture {
        var configuration = try DispatcherFixture.configuration()
        configuration.reachability.holdsWhenUnreachable = holds
        configuration.retry.maxAttempts = 1
        return try DispatcherFixture(
            clock: clock, configuration: configuration, transport: upstream.transport)
    }

    @Test("Tasks wait while their upstream cannot be reached, and start when it can")
    func hold() async throws {
        let (upstream, clock) = (Upstream(), ManualClock())
        let fixture = try fixture(upstream, holds: true, clock: clock)
        try await fixture.open {
            fixture.sessions.startMonitoring()
            _ = await clock.sleeps.first(1)
            try await fixture.expect(.failed, of: fixture.create())
            let task = try await fixture.create("waits")
            #expect(task.state == .queued)
            #expect(fixture.dispatcher.liveState(of: task).hold == .unreachable)
            clock.advance(by: .seconds(30))
            _ = await clock.sleeps.first(2)
            #expect(fixture.dispatcher.liveState(of: task).hold == .unreachable, "it is still down")
            upstream.comeUp()
            clock.advance(by: .seconds(30))
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.paths == ["/", "/waits"])
        }
        await fixture.sessions.close()
    }

    @Test("Without the setting, what is known of the upstream holds nobody")
    func advisory() async throws {
        let fixture = try fixture(Upstream(), holds: false)
        try await fixture.open {
            for _ in 0..<2 { try await fixture.expect(.failed, of: fixture.create()) }
            #expect(fixture.sessions.reachability(of: "up") == .notReachable)
        }
    }

    @Test("Of a session object that was just made nothing is known: a reset lets tasks start")
    func reset() async throws {
        let upstream = Upstream()
        let fixture = try fixture(upstream, holds: true)
        try await fixture.open {
            try await fixture.expect(.failed, of: fixture.create())
            let task = try await fixture.create()
            #expect(task.state == .queued)
            upstream.comeUp()
            let operations = SessionOperations(
                dispatcher: fixture.dispatcher, sessions: fixture.sessions, logger: DispatcherFixture.logger)
            _ = try await operations.invalidate("up", .init(resets: true))
            try await fixture.expect(.succeeded, of: task)
        }
        await fixture.sessions.close()
    }
}
