import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: unreachable upstreams", .timeLimit(.hang))
struct DispatcherReachabilityTests {
    /// An upstream that is down until the test brings it up.
    private final class Upstream: Sendable {
        private let state = Mutex(false)
        /// Holds back the failure of a request for `/late`.
        let gate = ScriptedTransport.Gate()

        func comeUp() { state.withLock { $0 = true } }

        var transport: ScriptedTransport {
            let down = TransferError(.cannotConnect, "Connection refused")
            return ScriptedTransport { [self] _ in
                state.withLock { $0 } ? nil : down
            } _: { [self] request in
                if request.url.string.hasSuffix("/limited") {
                    return [.head(ResponseHead(status: 429, headers: [.retryAfter: "60"]))]
                }
                guard !state.withLock({ $0 }) else { return DispatcherFixture.response }
                return request.url.string.hasSuffix("/late") ? [.wait(gate), .fail(down)] : [.fail(down)]
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

    @Test("Tasks wait while their upstream is unreachable, and start when it is reachable again")
    func hold() async throws {
        let (upstream, clock) = (Upstream(), ManualClock())
        let fixture = try fixture(upstream, holds: true, clock: clock)
        try await fixture.open {
            fixture.sessions.startMonitoring()
            _ = await clock.sleeps.first(1)
            try await fixture.expect(.failed, of: fixture.create())
            let task = try await fixture.create("waits")
            #expect(task.state == .queued)
            #expect(fixture.dispatcher.liveState(of: task).waitReason == .unreachable)
            clock.advance(by: .seconds(30))
            _ = await clock.sleeps.first(2)
            #expect(fixture.dispatcher.liveState(of: task).waitReason == .unreachable, "it is still down")
            upstream.comeUp()
            clock.advance(by: .seconds(30))
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.paths == ["/", "/waits"])
        }
        await fixture.sessions.close()
    }

    @Test("Without the setting, an unreachable upstream delays no task")
    func advisory() async throws {
        let fixture = try fixture(Upstream(), holds: false)
        try await fixture.open {
            for _ in 0..<2 { try await fixture.expect(.failed, of: fixture.create()) }
            #expect(fixture.sessions.reachability(of: "up") == .notReachable)
        }
    }

    @Test("The reachability of a fresh session object is unknown, so that a reset lets tasks start")
    func reset() async throws {
        let upstream = Upstream()
        let fixture = try fixture(upstream, holds: true)
        try await fixture.open {
            try await fixture.expect(.failed, of: fixture.create())
            let task = try await fixture.create()
            #expect(task.state == .queued)
            upstream.comeUp()
            let operations = SessionOperations(context: fixture.context, dispatcher: fixture.dispatcher)
            _ = try await operations.invalidate("up", .init(resets: true))
            try await fixture.expect(.succeeded, of: task)
        }
        await fixture.sessions.close()
    }

    @Test("A reset lets tasks start even if the end of a pause cannot be stored, which is an error of the reset")
    func resetWithoutStore() async throws {
        let upstream = Upstream()
        let fixture = try fixture(upstream, holds: true)
        try await fixture.open {
            let late = try await fixture.create("late")
            try await fixture.expect(.failed, of: fixture.create("limited"))
            try await fixture.dispatcher.holds.finish("up")
            upstream.gate.open()
            try await fixture.expect(.failed, of: late)
            let task = try await fixture.create()
            let canceled = try await fixture.create(suspended: true)
            #expect(fixture.dispatcher.liveState(of: task).waitReason == .unreachable)
            fixture.store.intervene { operation throws(TaskStoreError) in
                if case .setUpstreamHold = operation { throw TaskStoreError(.diskFull, "full") }
            }
            upstream.comeUp()
            let operations = SessionOperations(context: fixture.context, dispatcher: fixture.dispatcher)
            await #expect(throws: TaskStoreError.self) { try await operations.invalidate("up", .init(resets: true)) }
            try #require(fixture.dispatcher.liveState(of: task).waitReason != .unreachable)
            try await fixture.expect(.succeeded, of: task)
            await #expect(throws: TaskStoreError.self) {
                try await operations.invalidate("up", .init(cancelsTasks: true, resets: true))
            }
            try await fixture.expect(.canceled, of: canceled)
        }
        await fixture.sessions.close()
    }
}
