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

    @Test("While a receiver that kept failing hangs, the other deliveries to it wait without events")
    func hangingReceiver() async throws {
        var configuration = SessionConfiguration(name: "hooks")
        // One attempt at a time for each receiver.
        configuration.limits.concurrent = 4
        let gate = ScriptedTransport.Gate()
        let failures = Mutex(3)
        let fixture = try DispatcherFixture(time: time, configuration: configuration) { _ in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            return fails ? [.head(ResponseHead(status: 503))] : [.wait(gate)] + DispatcherFixture.response
        }
        var signing = CallbackConfiguration()
        signing.allowsUnsigned = true
        fixture.sessions.callbacks.apply(signing)
        try await fixture.open {
            let deliveries = (1...20).map { number in
                var record = TaskRecord.sample(number, session: "hooks", kind: .callback)
                record.change {
                    $0.specification.task =
                        CallbackMessage(id: "\(number)", url: "http://receiver.example/", body: Array("{}".utf8))
                        .document
                }
                return record
            }
            let reading = fixture.context.wall.reading
            let creations = deliveries.map { delivery -> Dispatcher.Creation in (NewTask(delivery), nil, reading) }
            for answer in await fixture.dispatcher.create(creations) { _ = try answer.get() }
            // Three of them fail, and all wait for the end of the pause.
            for delivery in deliveries { _ = try await fixture.reaches(.waiting, delivery) }
            // The fourth attempt probes the receiver. A timer that is being set again misses an advance.
            try await until {
                guard time.sleeperCount >= 2 else { return false }
                time.advance(by: .seconds(1))
                return fixture.transport.requests.count >= 4
            }
            for _ in 0..<600 {
                await time.sleepers(2)
                time.advance(by: .seconds(1))
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
                return state.admission.start(at: fixture.context.time.now).tasks.map(\.id)
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
