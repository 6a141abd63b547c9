import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: retries that a client wants at once", .timeLimit(.hang))
struct DispatcherRunNowRetryTests {
    private let time = ManualClock()

    /// Runs `body` with a dispatcher whose retries get a token every thousand seconds, and with a retry whose pause is
    /// over.
    ///
    /// - Parameters:
    ///   - isSuspended: True if the session is suspended; otherwise it has no tokens.
    ///   - readyAt: The time since which the retry has waited before; by default since its creation.
    ///   - gate: The gate at which its attempt waits, if any.
    ///   - body: The test.
    private func withRetry(
        isSuspended: Bool = true, readyAt: Timestamp? = nil, gate: ScriptedTransport.Gate? = nil,
        _ body: (DispatcherFixture, TaskRecord) async throws -> Void
    ) async throws {
        var steps = DispatcherFixture.response
        if let gate { steps.insert(.wait(gate), at: 0) }
        var configuration = try DispatcherFixture.configuration()
        configuration.retry.budget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 0)
        let fixture = try DispatcherFixture(time: time, configuration: configuration) { [steps] _ in steps }
        try await fixture.open {
            if isSuspended {
                fixture.dispatcher.apply(SessionControlState(name: "up", isSuspended: true))
            } else {
                #expect(fixture.dispatcher.takeTokens() == 10)
            }
            var task = TaskRecord.sample(1, session: "up", state: .waiting)
            task.change {
                $0.attemptCount = 1
                $0.startedAt = $0.createdAt
                $0.nextAttemptAt = DispatcherFixture.start
                if let readyAt { $0.readyAt = readyAt }
            }
            for insertion in await fixture.store.insert([NewTask(task)]) { _ = try insertion.get() }
            try await body(fixture, task)
        }
    }

    /// Queues the retry of a suspended session.
    private func queue(_ task: TaskRecord, in fixture: DispatcherFixture) async throws -> TaskRecord {
        await fixture.dispatcher.deliver(.timeCame, to: task)
        return try #require(try await fixture.reaches(.queued, task))
    }

    @Test("Run-now that is being stored while the retry finds no token is not undone: the retry starts")
    func runNowBesidePutOff() async throws {
        try await withRetry { fixture, task in
            let queued = try await queue(task, in: fixture)
            #expect(fixture.dispatcher.takeTokens() == 10)
            let begun = Signal<Void>()
            let mayGoOn = Signal<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update = operation else { return }
                begun.send()
                await mayGoOn.wait()
            }
            let dispatcher = fixture.dispatcher
            let runNow = Task { try await dispatcher.runNow(queued) }
            await begun.wait()
            dispatcher.apply(SessionControlState(name: "up"))
            // The start knows the task as it was before run-now.
            try await until { dispatcher.waitingSteps(of: queued.id) == 1 }
            mayGoOn.send()
            _ = try await runNow.value
            try await fixture.expect(.succeeded, of: queued)
        }
    }

    @Test("A second start for run-now, beside one that has taken a token, does not return that token")
    func runNowBesideStart() async throws {
        let gate = ScriptedTransport.Gate()
        try await withRetry(gate: gate) { fixture, task in
            let queued = try await queue(task, in: fixture)
            let writes = EventLog<Void>()
            let runNowMayGoOn = Signal<Void>()
            let startMayGoOn = Signal<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation else { return }
                writes.append()
                await (record.state == .running ? startMayGoOn : runNowMayGoOn).wait()
            }
            let dispatcher = fixture.dispatcher
            let runNow = Task { try await dispatcher.runNow(queued) }
            _ = await writes.first(1)
            dispatcher.apply(SessionControlState(name: "up"))
            // The start knows the task as it was before run-now, and has taken a token.
            try await until { dispatcher.takenSlots == 1 && dispatcher.waitingSteps(of: queued.id) == 1 }
            runNowMayGoOn.send()
            _ = try await runNow.value
            _ = await writes.first(2)
            // The second start has given its slot back, or waits for the first one.
            try await until { dispatcher.takenSlots == 1 || dispatcher.waitingSteps(of: queued.id) == 1 }
            startMayGoOn.send()
            _ = try await fixture.reaches(.running, queued)
            try await until { dispatcher.takenSlots == 1 }
            #expect(dispatcher.takeTokens() == 9)
            gate.open()
            try await fixture.expect(.succeeded, of: queued)
        }
    }

    @Test("A retry that a client wants at once, and that its destination has postponed, needs no token when it is due")
    func dueWithoutToken() async throws {
        try await withRetry(isSuspended: false, readyAt: .earliest) { fixture, task in
            await fixture.dispatcher.deliver(.timeCame, to: task)
            try await fixture.expect(.succeeded, of: task)
        }
    }
}

extension Dispatcher {
    /// Takes all tokens from the retry budget of the session `up`, and returns their number, at most 1000.
    fileprivate func takeTokens() -> Int {
        state.withLock { state in
            var taken = 0
            while taken < 1000, state.admission.takeRetry(session: "up", at: context.monotonic.now) == nil {
                taken += 1
            }
            return taken
        }
    }

    /// The number of slots that tasks of the session `up` have taken.
    fileprivate var takenSlots: Int {
        state.withLock { $0.admission.running(session: "up") }
    }
}
