import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The age of queues", .timeLimit(.hang))
struct QueueAgesTests {
    private let clock = ManualClock()

    /// Returns a dispatcher with one slot, whose first attempt waits at the gate.
    private func fixture(_ gate: ScriptedTransport.Gate, in folder: GatewayFolder? = nil) throws -> DispatcherFixture {
        try DispatcherFixture(folder: folder, concurrent: 1, time: clock) { _ in
            [.wait(gate)] + DispatcherFixture.response
        }
    }

    @Test("The age is that of the task that starts next, and zero for an empty queue")
    func next() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try fixture(gate)
        try await fixture.open {
            let running = try await fixture.create()
            #expect(await fixture.dispatcher.queueAges(of: ["up", "other"]) == ["up": 0, "other": 0])
            let waiting = try await fixture.create()
            clock.advance(by: .seconds(90))
            let later = try await fixture.create()
            clock.advance(by: .milliseconds(1500))
            #expect(await fixture.dispatcher.queueAges(of: ["up", "other"]) == ["up": 91.5, "other": 0])
            let first = try await fixture.create(priority: 9)
            clock.advance(by: .seconds(1))
            #expect(await fixture.dispatcher.queueAges(of: ["up"]) == ["up": 1])
            gate.open()
            for task in [running, waiting, later, first] { try await fixture.expect(.succeeded, of: task) }
            #expect(await fixture.dispatcher.queueAges(of: ["up"]) == ["up": 0])
        }
    }

    @Test("A task that a client told to run at once waits since its creation")
    func atOnce() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try fixture(gate)
        try await fixture.open {
            let running = try await fixture.create()
            let task = try await fixture.create()
            clock.advance(by: .seconds(30))
            guard case .done = try await fixture.dispatcher.runNow(task) else {
                Issue.record("not possible")
                return
            }
            #expect(await fixture.dispatcher.queueAges(of: ["up"]) == ["up": 30])
            gate.open()
            for task in [running, task] { try await fixture.expect(.succeeded, of: task) }
        }
    }

    @Test("The age of a task that was queued by an earlier process is read from the store, and left out if that fails")
    func loaded() async throws {
        let gate = ScriptedTransport.Gate()
        let first = try fixture(gate)
        var tasks: [TaskRecord] = []
        try await first.open {
            first.dispatcher.apply(SessionControlState(name: "up", isSuspended: true))
            for _ in 1...3 {
                tasks.append(try await first.create())
                clock.advance(by: .seconds(60))
            }
            #expect(await first.dispatcher.queueAges(of: ["up"]) == ["up": 180])
        }
        let second = try fixture(gate, in: first.folder)
        try await second.open {
            // The queue is loaded before its first task starts.
            _ = await second.transport.requests(1)
            #expect(await second.dispatcher.queueAges(of: ["up"]) == ["up": 120])
            #expect(
                try await second.store.readyTimes(of: [tasks[1].id, .sample(1)]) == [tasks[1].id: tasks[1].readyAt])
            second.store.intervene { operation async throws(TaskStoreError) in
                if case .readyTimes = operation { throw TaskStoreError(.inputOutput, "The disk fails") }
            }
            #expect(await second.dispatcher.queueAges(of: ["up", "other"]) == ["other": 0])
            second.store.intervene(nil)
            #expect(await second.dispatcher.queueAges(of: ["up"]) == ["up": 120])
            gate.open()
            for task in tasks { try await second.expect(.succeeded, of: task) }
        }
    }
}
