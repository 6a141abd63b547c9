import ErrandConfiguration
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: starts that wait or are given back", .timeLimit(.hang))
struct DispatcherStartTests {
    private let time = ManualClock()

    /// Returns a dispatcher with the session `hooks`.
    ///
    /// - Parameters:
    ///   - concurrent: The number of its slots, a quarter of which each receiver has: by default one.
    ///   - script: The receivers.
    private func hooks(
        concurrent: Int = 4, _ script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step]
    ) throws -> DispatcherFixture {
        var configuration = SessionConfiguration(name: "hooks")
        configuration.limits.concurrent = concurrent
        let fixture = try DispatcherFixture(time: time, configuration: configuration, script)
        var signing = CallbackConfiguration()
        signing.allowsUnsigned = true
        fixture.sessions.callbacks.apply(signing)
        return fixture
    }

    /// Creates deliveries to one receiver.
    ///
    /// - Parameter former: The number of those that were created before.
    private func deliver(
        _ count: Int, after former: Int = 0, by fixture: DispatcherFixture
    ) async throws -> [TaskRecord] {
        let deliveries = (1...count).map { former + $0 }.map { number in
            var record = TaskRecord.sample(number, session: "hooks", kind: .callback)
            record.change {
                $0.specification.task =
                    CallbackMessage(id: "\(number)", url: "http://receiver.example/", body: Array("{}".utf8))
                    .document
            }
            return record
        }
        let creations = deliveries.map { delivery -> Dispatcher.Creation in (NewTask(delivery), nil) }
        for answer in await fixture.dispatcher.create(creations) { _ = try answer.get() }
        return deliveries
    }

    @Test("A delivery to a receiver that keeps failing fails when the time for all attempts is over")
    func receiverGone() async throws {
        let fixture = try hooks { _ in [.head(ResponseHead(status: 503))] }
        // The deliveries are 38 hours old.
        time.advance(by: .seconds(38 * 3600))
        try await fixture.open {
            // Three attempts show that the receiver fails, of deliveries whose first one this is.
            var attempts = 0
            for delivery in try await deliver(20, by: fixture) {
                let ended = try #require(try await fixture.reaches(.waiting, delivery))
                attempts += ended.attemptCount
                guard ended.attemptCount == 0 else { continue }
                #expect(ended.state == .failed)
                #expect(ended.result.error == TaskErrorDocument.destinationFailed)
            }
            #expect(attempts == 3)
            #expect(fixture.transport.requests.count == 3)
        }
    }

    /// A receiver that fails three times, and then works.
    private static func recovering() -> @Sendable (TransferRequest) -> [ScriptedTransport.Step] {
        let failures = Mutex(3)
        return { _ in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            return fails ? [.head(ResponseHead(status: 503))] : DispatcherFixture.response
        }
    }

    /// Advances the time until deliveries have ended, and checks that all have succeeded.
    private func expectSuccess(of deliveries: Int, by fixture: DispatcherFixture) async throws {
        try await until {
            let counts = try await fixture.store.counts()
            if counts["hooks", .succeeded] + counts["hooks", .failed] == deliveries { return true }
            // A timer that is being set again misses an advance.
            if time.sleeperCount >= 2 { time.advance(by: .seconds(1)) }
            return false
        }
        let counts = try await fixture.store.counts()
        #expect(counts["hooks", .succeeded] == deliveries)
    }

    @Test("Deliveries that are due long after the last failure of their receiver wait for a probe, however old")
    func oldFailure() async throws {
        let fixture = try hooks(Self.recovering())
        try await fixture.open {
            // Three of them fail, and all wait.
            for delivery in try await deliver(20, by: fixture) { _ = try await fixture.reaches(.waiting, delivery) }
            await time.sleepers(2)
            time.advance(by: .seconds(48 * 3600))
            try await expectSuccess(of: 20, by: fixture)
        }
    }

    @Test("The deliveries of a session that was suspended for days are made when it is resumed and the receiver works")
    func suspendedForDays() async throws {
        let fixture = try hooks(concurrent: 64, Self.recovering())
        try await fixture.open {
            for delivery in try await deliver(3, by: fixture) { _ = try await fixture.reaches(.waiting, delivery) }
            fixture.dispatcher.apply(SessionControlState(name: "hooks", isSuspended: true))
            // More than may wait for the end of a probe.
            _ = try await deliver(297, after: 3, by: fixture)
            await time.sleepers(2)
            time.advance(by: .seconds(48 * 3600))
            try await until {
                let counts = try await fixture.store.counts()
                if counts["hooks", .queued] == 300 { return true }
                if time.sleeperCount >= 2 { time.advance(by: .seconds(1)) }
                return false
            }
            fixture.dispatcher.apply(SessionControlState(name: "hooks"))
            try await expectSuccess(of: 300, by: fixture)
        }
    }

    @Test("A delivery for which its receiver only has no room is put off, however old it is")
    func noRoom() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try hooks { _ in [.wait(gate)] + DispatcherFixture.response }
        // The deliveries are 38 hours old.
        time.advance(by: .seconds(38 * 3600))
        try await fixture.open {
            // One is sent, and 256 wait for its slot.
            _ = try await deliver(258, by: fixture)
            try await until {
                let counts = try await fixture.store.counts()
                return counts["hooks", .waiting] + counts["hooks", .failed] > 0
            }
            let counts = try await fixture.store.counts()
            #expect(counts["hooks", .failed] == 0)
            gate.open()
        }
    }

    @Test("A delivery that is queued for a slot of its receiver has the hold concurrency")
    func hold() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try hooks { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let deliveries = try await deliver(2, by: fixture)
            _ = await fixture.transport.requests(1)
            // Either of them may have got the slot.
            var records: [TaskRecord] = []
            for delivery in deliveries { records.append(try #require(try await fixture.stored(delivery))) }
            let queued = try #require(records.first { $0.state == .queued })
            try await until { fixture.dispatcher.liveState(of: queued).waitReason == .concurrency }
            // A list does not read the message, which has the URL of the receiver.
            let page = try await fixture.store.tasks(TaskQuery())
            let listed = try #require(page.tasks.first { $0.id == queued.id })
            #expect(listed.specification.task.isEmpty)
            #expect(fixture.dispatcher.liveState(of: listed).waitReason == .concurrency)
            gate.open()
            for delivery in deliveries { try await fixture.expect(.succeeded, of: delivery) }
            #expect(fixture.dispatcher.liveState(of: queued).waitReason == nil)
        }
    }

    @Test("While a receiver that kept failing hangs, the other deliveries to it wait without events")
    func hangingReceiver() async throws {
        let gate = ScriptedTransport.Gate()
        let failures = Mutex(3)
        let fixture = try hooks { _ in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            return fails ? [.head(ResponseHead(status: 503))] : [.wait(gate)] + DispatcherFixture.response
        }
        try await fixture.open {
            let deliveries = try await deliver(20, by: fixture)
            // Three of them fail, and all wait for the end of the pause.
            for delivery in deliveries { _ = try await fixture.reaches(.waiting, delivery) }
            // The fourth attempt probes the receiver. A timer that is being set again misses an advance.
            try await until {
                guard time.sleeperCount >= 2 else { return false }
                time.advance(by: .seconds(1))
                return fixture.transport.requests.count >= 4
            }
            // Ten minutes, in so many steps that an event at each would be too many.
            for _ in 0..<60 {
                await time.sleepers(2)
                time.advance(by: .seconds(10))
            }
            var waiting = 0
            for delivery in deliveries {
                guard try await fixture.stored(delivery)?.attemptCount == 0 else { continue }
                waiting += 1
                let events = try await fixture.store.events(after: 0, task: delivery.id, limit: 1000)
                #expect(events.count <= 4)
            }
            #expect(waiting == 16)
            #expect(fixture.transport.requests.count == 4)
            gate.open()
        }
    }

    @Test("A task that got its slot just before a stop stays queued, and gives its slot back")
    func startDuringStop() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            fixture.dispatcher.withhold(["up"])
            let task = try await fixture.create()
            #expect(task.state == .queued)
            await fixture.dispatcher.drain(patience: .seconds(30))
            let started = fixture.dispatcher.state.withLock { state in
                _ = state.admission.set(.unconfigured, to: false, session: "up")
                return state.admission.start(at: fixture.context.monotonic.now).tasks.map(\.id)
            }
            #expect(started == [task.id])
            #expect(fixture.dispatcher.running(session: "up") == 1)
            await fixture.dispatcher.deliver(.start, to: task)
            #expect(!fixture.dispatcher.hasLiveTasks)
            #expect(fixture.dispatcher.running(session: "up") == 0)
            #expect(try await fixture.stored(task)?.state == .queued)
            #expect(fixture.paths.isEmpty)
        }
    }
}
