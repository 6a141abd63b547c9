import Locking
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("Dispatcher: when the store fails", .timeLimit(.minutes(1)))
struct DispatcherTroubleTests {
    private static let full = TaskStoreError(.diskFull, "The disk is full")

    /// Has so many operations of a kind fail, then none.
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

    @Test("A task that cannot be stored is refused, is not sent, and takes no place")
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

    @Test("A start that cannot be stored is not sent before it is")
    func startFails() async throws {
        let hold = ScriptedTransport.Hold()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first") ? [.wait(hold)] + DispatcherFixture.answer : DispatcherFixture.answer
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
            hold.release()
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: second)
            #expect(sentAtFailure.withLock { $0 } == ["/first"])
            #expect(fixture.paths == ["/first", "/second"])
        }
    }

    @Test("A queue that cannot be read is read again")
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

    @Test("A store that never works again does not keep the gateway from ending; what it has is recovered")
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

    @Test("A record that somebody else has changed is taken as it is then")
    func changedElsewhere() async throws {
        let hold = ScriptedTransport.Hold()
        let fixture = try DispatcherFixture { _ in [.wait(hold)] + DispatcherFixture.answer }
        try await fixture.open {
            let task = try await fixture.create()
            var other = task
            other.revision += 1
            other.priority = 9
            #expect(try await fixture.store.update(other, expecting: task.revision))
            hold.release()
            let finished = try await fixture.finished(task)
            #expect(finished?.state == .succeeded)
            #expect(finished?.priority == 9)
            #expect(finished?.revision == other.revision + 1)
        }
    }

    @Test("A task that is gone from the store ends without a trace, and its place is free")
    func gone() async throws {
        let hold = ScriptedTransport.Hold()
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(hold)] + DispatcherFixture.answer }
        try await fixture.open {
            let task = try await fixture.create()
            #expect(try await fixture.store.delete(task.id))
            hold.release()
            let next = try await fixture.create("next")
            try await fixture.expect(.succeeded, of: next)
            #expect(try await fixture.stored(task) == nil)
        }
    }
}
