import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Logging
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: when the store fails", .timeLimit(.hang))
struct DispatcherTroubleTests {
    private static let full = TaskStoreError(.diskFull, "The disk is full")

    /// Fails a number of operations of a kind, then none.
    @discardableResult
    private func fail(
        _ count: Int, of store: FlakyTaskStore, where matches: @escaping @Sendable (FlakyTaskStore.Operation) -> Bool
    ) -> EventLog<Void> {
        let failures = EventLog<Void>()
        let left = Mutex(count)
        store.intervene { operation async throws(TaskStoreError) in
            guard matches(operation) else { return }
            let fails = left.withLock { left in
                left -= 1
                return left >= 0
            }
            guard fails else { return }
            failures.append()
            throw Self.full
        }
        return failures
    }

    @Test("A task that cannot be stored is refused, is not sent, and takes no slot")
    func insertFails() async throws {
        let fixture = try DispatcherFixture(concurrent: 1)
        try await fixture.open {
            _ = fail(1, of: fixture.store) { if case .insert = $0 { true } else { false } }
            await #expect(throws: Self.full) { try await fixture.create("refused") }
            let task = try await fixture.create("accepted")
            #expect(task.state == .running)
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.paths == ["/accepted"])
        }
    }

    @Test("An outcome is stored as soon as the store can write again")
    func endFails() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let failures = fail(2, of: fixture.store) { if case .update = $0 { true } else { false } }
            let task = try await fixture.create()
            _ = await failures.first(2)
            try await fixture.expect(.succeeded, of: task)
            #expect(try await fixture.stored(task)?.state == .succeeded)
            #expect(fixture.paths.count == 1)
        }
    }

    @Test("A failure of the store is logged once, however many tasks wait for it")
    func loggedOnce() async throws {
        let log = RecordedLog()
        let fixture = try DispatcherFixture(logger: log.logger)
        try await fixture.open {
            let failures = Mutex<[TaskID: Int]>([:])
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == .succeeded else { return }
                let count = failures.withLock { failures in
                    failures[record.id, default: 0] += 1
                    return failures[record.id, default: 0]
                }
                // The first failure of each is repeated at once.
                if count <= 2 { throw Self.full }
            }
            var tasks: [TaskRecord] = []
            for number in 0..<5 { tasks.append(try await fixture.create("\(number)")) }
            for task in tasks { try await fixture.expect(.succeeded, of: task) }
            #expect(failures.withLock { $0.count } == tasks.count)
            let lines = log.lines.filter { $0.message == "The store failed; trying again" }
            #expect(lines.map(\.level) == [.error])
        }
    }

    @Test("A task whose start cannot be stored is not sent until it is")
    func startFails() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            let first = try await fixture.create("first")
            let second = try await fixture.create("second")
            let sentAtFailure = Mutex<[String]>([])
            let failures = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == .running, failures.events.isEmpty else {
                    return
                }
                sentAtFailure.withLock { $0 = fixture.paths }
                failures.append()
                throw Self.full
            }
            gate.open()
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: second)
            #expect(sentAtFailure.withLock { $0 } == ["/first"])
            #expect(fixture.paths == ["/first", "/second"])
        }
    }

    @Test("Reading a queue is repeated after a failure")
    func queueFails() async throws {
        let before = try DispatcherFixture()
        var tasks: [TaskRecord] = []
        for number in 0..<5 { tasks.append(try await before.create("\(number)")) }
        await before.store.close()
        let fixture = try DispatcherFixture(folder: before.folder)
        let failures = fail(1, of: fixture.store) { if case .queued = $0 { true } else { false } }
        try await fixture.open {
            _ = await failures.first(1)
            for task in tasks { try await fixture.expect(.succeeded, of: task) }
        }
    }

    @Test("Recovery that cannot be stored fails the start")
    func recoveryFails() async throws {
        let fixture = try DispatcherFixture()
        _ = fail(1, of: fixture.store) { if case .interrupted = $0 { true } else { false } }
        await #expect(throws: Self.full) { try await fixture.dispatcher.open() }
        await fixture.store.close()
    }

    @Test("A damaged event does not prevent the start")
    func damagedEvent() async throws {
        let before = try DispatcherFixture()
        let task = try await before.create()
        await before.store.close()
        let fixture = try DispatcherFixture(folder: before.folder)
        fixture.store.intervene { operation async throws(TaskStoreError) in
            if case .events = operation { throw TaskStoreError(.corrupt, "The task store contains an invalid value") }
        }
        try await fixture.open { try await fixture.expect(.succeeded, of: task) }
    }

    @Test("A store that never recovers does not keep the gateway from closing; its tasks are recovered later")
    func neverAgain() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.dispatcher.open()
        let failures = fail(.max, of: fixture.store) { if case .update = $0 { true } else { false } }
        let task = try await fixture.create()
        _ = await failures.first(1)
        await fixture.dispatcher.close(patience: .milliseconds(10))
        fixture.store.intervene(nil)
        #expect(try await fixture.stored(task)?.state == .running)
        await fixture.store.close()
        let next = try DispatcherFixture(folder: fixture.folder)
        try await next.open {
            try await next.expect(.succeeded, of: task)
        }
    }

    @Test("A record that was changed concurrently is used in its new state")
    func changedElsewhere() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            var other = task
            other.change {
                $0.revision += 1
                $0.priority = 9
            }
            #expect(try await fixture.store.update(other, expecting: task.revision))
            gate.open()
            let finished = try await fixture.finished(task)
            #expect(finished?.state == .succeeded)
            #expect(finished?.priority == 9)
            #expect(finished?.revision == other.revision + 1)
        }
    }

    @Test("A task that is missing from the store ends without a trace, and its slot is free")
    func gone() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            #expect(try await fixture.store.delete(task.id))
            gate.open()
            let next = try await fixture.create("next")
            try await fixture.expect(.succeeded, of: next)
            #expect(try await fixture.stored(task) == nil)
        }
    }

    @Test("Clients are told at once that the end of their task cannot be stored, whatever they request")
    func clientsOfUnstoredEnds() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let failures = fail(.max, of: fixture.store) { if case .update = $0 { true } else { false } }
            let task = try await fixture.create()
            _ = await failures.first(1)
            await #expect(throws: Self.full) { _ = try await fixture.dispatcher.cancel(task.id) }
            await #expect(throws: Self.full) { _ = try await fixture.dispatcher.suspend(task.id) }
            await #expect(throws: Self.full) { _ = try await fixture.dispatcher.delete(task.id) }
            var edit = TaskEdit()
            edit.priority = 9
            await #expect(throws: Self.full) { _ = try await fixture.dispatcher.edit(task.id, edit) }
            fixture.store.intervene(nil)
            try await fixture.expect(.succeeded, of: task)
            #expect(try await fixture.dispatcher.delete(task.id))
        }
    }

    @Test("A client that is waiting when the end of its task cannot be stored is told so")
    func clientWhoWaited() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let (reached, fails) = (Signal<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update = operation else { return }
                reached.send()
                await fails.wait()
                throw Self.full
            }
            let task = try await fixture.create()
            await reached.wait()
            let canceling = Task { try await fixture.dispatcher.cancel(task.id) }
            // The step waits behind one that is being stored: nothing can tell of it but the queue itself.
            try await until { fixture.dispatcher.waitingSteps(of: task.id) > 0 }
            fails.send()
            await #expect(throws: Self.full) { _ = try await canceling.value }
            fixture.store.intervene(nil)
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("A create does not wait for later steps that cannot be stored")
    func creationDoesNotWait() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let failures = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                switch operation {
                // Before its creation is done, as the end of a short attempt may arrive too.
                case .insert(let record): await fixture.dispatcher.deliver(.cancel, to: record)
                case .update:
                    failures.append()
                    throw Self.full
                default: break
                }
            }
            let task = try await fixture.create()
            #expect(task.state == .running)
            _ = await failures.first(1)
            fixture.store.intervene(nil)
            try await fixture.expect(.canceled, of: task)
        }
    }

    @Test("A client is told within its patience that the store does not respond, and the step is still done")
    func storeHangs() async throws {
        var patience = ClientPatience.unlimited
        patience.reply = .milliseconds(20)
        let fixture = try DispatcherFixture(patience: patience) { _ in
            [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response
        }
        try await fixture.open {
            let task = try await fixture.create()
            let goesOn = Signal<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { await goesOn.wait() }
            }
            await #expect { _ = try await fixture.dispatcher.cancel(task.id) } throws: {
                ($0 as? TaskStoreError)?.code == .busy
            }
            goesOn.send()
            try await fixture.expect(.canceled, of: task)
        }
    }

    @Test("While the store hangs, a task takes a limited number of changes, and refuses others at once")
    func changesWhileStoreHangs() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.reaches(.running, task)
            let goesOn = Signal<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { await goesOn.wait() }
            }
            let refused = EventLog<TaskStoreError.Code>()
            // One of them is being stored.
            let others = 17
            let changes = (0..<(1 + LiveTask.maxWaiting + others)).map { _ in
                Task {
                    do throws(TaskStoreError) {
                        _ = try await fixture.dispatcher.suspend(task.id)
                    } catch {
                        refused.append(error.code)
                    }
                }
            }
            _ = await refused.first(others)
            goesOn.send()
            for change in changes { await change.value }
            // One more if all came before the first was taken from the queue.
            #expect((others...(others + 1)).contains(refused.events.count))
            #expect(refused.events.allSatisfy { $0 == .busy })
            _ = try await fixture.dispatcher.cancel(task.id)
            try await fixture.expect(.canceled, of: task)
        }
    }

    @Test("A due retry whose start cannot be stored keeps its token of the retry budget")
    func tokens() async throws {
        let time = ManualClock()
        var configuration = try DispatcherFixture.configuration()
        configuration.retry.maxAttempts = 2
        configuration.retry.backoff = RetryConfiguration.Backoff(initial: .seconds(1), max: .seconds(1), jitter: 0)
        configuration.retry.budget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 0.001)
        let isFirst = Mutex(true)
        let fixture = try DispatcherFixture(time: time, configuration: configuration) { _ in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? [.head(ResponseHead(status: 503))] : DispatcherFixture.response
        }
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.reaches(.waiting, task)
            let failures = EventLog<Void>()
            let mayFail = Mutex(true)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update = operation, mayFail.withLock({ $0 }) else { return }
                failures.append()
                throw Self.full
            }
            // More failures than the budget has tokens.
            try await until {
                guard failures.events.count < 40 else { return true }
                if time.sleeperCount >= 2 { time.advance(by: .seconds(1)) }
                return false
            }
            let wait = fixture.dispatcher.state.withLock {
                $0.admission.takeRetry(session: "up", at: fixture.context.monotonic.now)
            }
            #expect(wait == nil, "a token is left")
            mayFail.withLock { $0 = false }
            try await until {
                if fixture.transport.requests.count > 1 { return true }
                if time.sleeperCount >= 2 { time.advance(by: .seconds(1)) }
                return false
            }
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("At a stop, a sweep that waits for the store does not delay the cut of attempts")
    func sweepHangs() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response }
        let (sweeps, goesOn) = (Signal<Void>(), Signal<Void>())
        fixture.store.intervene { operation async throws(TaskStoreError) in
            guard case .forget = operation else { return }
            sweeps.send()
            await goesOn.wait()
        }
        try await fixture.open {
            await sweeps.wait()
            _ = try await fixture.create()
            try await until { fixture.dispatcher.attemptsUnderWay == 1 }
            let draining = Task { await fixture.dispatcher.drain(patience: .milliseconds(1)) }
            try await until { fixture.dispatcher.attemptsUnderWay == 0 }
            goesOn.send()
            await draining.value
        }
    }

    @Test("A canceled task whose end is not stored cannot be deleted, and the client is told in time")
    func deleteWithoutEnd() async throws {
        var patience = ClientPatience.unlimited
        (patience.cancel, patience.removal) = (.milliseconds(1), .milliseconds(20))
        let fixture = try DispatcherFixture(patience: patience) { _ in
            [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response
        }
        try await fixture.open {
            let task = try await fixture.create()
            _ = fail(.max, of: fixture.store) {
                if case .update(let record) = $0 { record.state == .canceled } else { false }
            }
            await #expect { _ = try await fixture.dispatcher.delete(task.id) } throws: {
                ($0 as? TaskStoreError)?.code == .stillCanceling
            }
            fixture.store.intervene(nil)
            try await fixture.expect(.canceled, of: task)
            #expect(try await fixture.dispatcher.delete(task.id))
        }
    }
}
