import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("A pause that a session's upstream has caused", .timeLimit(.hang))
struct UpstreamHoldsTests {
    private let time = ManualClock()

    private func configuration(_ baseURL: String = "http://upstream.example/") throws -> SessionConfiguration {
        var configuration = SessionConfiguration(name: "up", baseURL: try HTTPURL(baseURL))
        configuration.retry.maxAttempts = 1
        configuration.circuitBreaker.failures = 2
        configuration.circuitBreaker.open = .seconds(30)
        return configuration
    }

    /// Returns the next process with the same store.
    private func next(
        after former: DispatcherFixture, set: Duration = .zero, _ configuration: SessionConfiguration? = nil
    ) throws -> DispatcherFixture {
        try DispatcherFixture(
            folder: former.folder, time: time, set: set, configuration: configuration ?? self.configuration())
    }

    private func upstream(
        _ status: Int, retryAfter: Int? = nil
    ) -> @Sendable (TransferRequest) -> [ScriptedTransport.Step] {
        { _ in
            var head = ResponseHead(status: status)
            head.headers[.retryAfter] = retryAfter.map { "\($0)" }
            return [.head(head)]
        }
    }

    /// Runs a process in which the upstream asks for a pause.
    private func paused(seconds: Int) async throws -> DispatcherFixture {
        let first = try DispatcherFixture(
            time: time, configuration: configuration(), upstream(429, retryAfter: seconds))
        try await first.open { try await first.expect(.failed, of: first.create()) }
        return first
    }

    @Test("outlives the process, for as long as is left of it")
    func retryAfter() async throws {
        let first = try await paused(seconds: 60)
        time.advance(by: .seconds(20))
        let second = try next(after: first)
        try await second.open {
            let task = try await second.create()
            #expect(second.dispatcher.liveState(of: task).waitReason == .retryAfter)
            let end = second.dispatcher.conditions(of: "up")?.quietUntil
            #expect(end == DispatcherFixture.start.adding(.seconds(60)))
            await time.sleepers(2)
            time.advance(by: .seconds(40))
            try await second.expect(.succeeded, of: task)
        }
    }

    @Test("is over after it, and one of less than five seconds is not stored", arguments: [4, 30])
    func over(seconds: Int) async throws {
        let first = try await paused(seconds: seconds)
        if seconds > 5 { time.advance(by: .seconds(seconds)) }
        let second = try next(after: first)
        try await second.open { try await second.expect(.succeeded, of: second.create()) }
    }

    @Test("is never longer than the session allows, however the clock was set meanwhile")
    func clockSetBack() async throws {
        let first = try await paused(seconds: 60)
        let second = try next(after: first, set: .seconds(-365 * 86_400))
        try await second.open {
            let task = try await second.create()
            #expect(second.dispatcher.liveState(of: task).waitReason == .retryAfter)
            let longest = try configuration().retry.backoff.max
            await time.sleepers(2)
            time.advance(by: longest)
            try await second.expect(.succeeded, of: task)
        }
    }

    /// Starts a process with a clock that was set back by eight hours, and checks that the pause of a minute is whole.
    private func expectWhole(after former: DispatcherFixture) async throws {
        let second = try next(after: former, set: .seconds(-28_800))
        try await second.open {
            // A start that moves nothing has no event.
            try await second.clockSettled()
            let task = try await second.create()
            #expect(second.dispatcher.liveState(of: task).waitReason == .retryAfter)
            let end = second.dispatcher.conditions(of: "up")?.quietUntil
            #expect(end == DispatcherFixture.start.adding(.seconds(60 - 28_800)))
        }
    }

    @Test(
        "keeps its length when the clock was set back before a start, however many starts follow, killed ones too",
        arguments: [false, true])
    func clockSetBackBefore(isKilled: Bool) async throws {
        let first = try await paused(seconds: 60)
        if isKilled {
            let killed = try next(after: first, set: .seconds(-28_800))
            try await killed.dispatcher.prepare(controlStates: [])
            await killed.store.close()
            await killed.dispatcher.close(patience: .zero)
        }
        for _ in 0..<3 { try await expectWhole(after: first) }
    }

    @Test("keeps its length when the clock was set back while the gateway ran, and no event followed")
    func clockSetBackWhileRunning() async throws {
        let first = try DispatcherFixture(time: time, configuration: configuration(), upstream(429, retryAfter: 60))
        let observer = ClockObserver()
        first.context.wall.add(observer)
        try await first.open {
            try await first.expect(.failed, of: first.create())
            try await first.dispatcher.holds.finish("up")
            first.setting.set(to: .seconds(-28_800))
            _ = first.context.now()
            _ = await observer.settled.first(1)
            // What is stored need not change with the clock.
            let holds = try await first.store.upstreamHolds()
            #expect(holds.map(\.clockOffset) == [.zero])
        }
        for _ in 0..<2 { try await expectWhole(after: first) }
    }

    @Test("does not hold a session that has another upstream now")
    func otherUpstream() async throws {
        let first = try await paused(seconds: 60)
        let second = try next(after: first, configuration("http://other.example/"))
        try await second.open { try await second.expect(.succeeded, of: second.create()) }
    }

    @Test("of an open circuit outlives the process too; one attempt then probes the upstream, and closes it for good")
    func circuit() async throws {
        let first = try DispatcherFixture(time: time, configuration: configuration(), upstream(503))
        try await first.open {
            for _ in 0..<2 { try await first.expect(.failed, of: first.create()) }
        }
        time.advance(by: .seconds(10))
        let second = try next(after: first)
        try await second.open {
            let task = try await second.create()
            #expect(second.dispatcher.liveState(of: task).waitReason == .circuitOpen)
            await time.sleepers(2)
            time.advance(by: .seconds(20))
            try await second.expect(.succeeded, of: task)
            #expect(second.dispatcher.conditions(of: "up")?.circuit == .closed)
        }
        let third = try next(after: second)
        try await third.open {
            #expect(try await third.store.upstreamHolds().isEmpty)
            try await third.expect(.succeeded, of: third.create())
        }
    }

    @Test("ends when the session is reset, also for the next process")
    func reset() async throws {
        let first = try DispatcherFixture(time: time, configuration: configuration(), upstream(429, retryAfter: 60))
        try await first.open {
            try await first.expect(.failed, of: first.create())
            let task = try await first.create()
            #expect(first.dispatcher.liveState(of: task).waitReason == .retryAfter)
            first.dispatcher.forgetUpstream(of: "up")
            try await first.expect(.failed, of: task)
            first.dispatcher.forgetUpstream(of: "up")
            try await first.dispatcher.holds.finish("up")
            #expect(try await first.store.upstreamHolds().isEmpty)
        }
        let second = try next(after: first)
        try await second.open { try await second.expect(.succeeded, of: second.create()) }
    }

    @Test("whose end could not be stored is an error of the reset, and is stored with the next change")
    func storeFails() async throws {
        let first = try DispatcherFixture(time: time, configuration: configuration(), upstream(429, retryAfter: 60))
        try await first.open {
            try await first.expect(.failed, of: first.create())
            try await first.dispatcher.holds.finish("up")
            first.store.intervene { operation throws(TaskStoreError) in
                if case .setUpstreamHold = operation { throw TaskStoreError(.diskFull, "full") }
            }
            first.dispatcher.forgetUpstream(of: "up")
            await #expect(throws: TaskStoreError.self) { try await first.dispatcher.holds.finish("up") }
            first.store.intervene(nil)
            first.dispatcher.forgetUpstream(of: "up")
            try await first.dispatcher.holds.finish("up")
            #expect(try await first.store.upstreamHolds().isEmpty)
        }
    }

    @Test("of a half-open circuit lets the next process probe its upstream with one attempt, not with all")
    func halfOpen() async throws {
        let first = try DispatcherFixture(time: time, configuration: configuration(), upstream(503))
        try await first.open {
            for _ in 0..<2 { try await first.expect(.failed, of: first.create()) }
        }
        time.advance(by: .seconds(40))
        let second = try next(after: first)
        try await second.open {
            let conditions = try #require(second.dispatcher.conditions(of: "up"))
            #expect(conditions.circuit == .halfOpen)
            try await second.expect(.succeeded, of: second.create())
            #expect(second.dispatcher.conditions(of: "up")?.circuit == .closed)
        }
    }

    @Test("that is over, or of another upstream, is removed at the next start")
    func removed() async throws {
        let first = try await paused(seconds: 60)
        let second = try next(after: first, configuration("http://other.example/"))
        try await second.open {
            await second.dispatcher.holds.finish()
            let holds = try await second.store.upstreamHolds()
            #expect(holds.isEmpty)
        }
    }
}
