import ErrandLocking
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTransfer
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: tasks sealed with a missing key", .timeLimit(.hang))
struct DispatcherSealedTests {
    private static let sealed = TaskStoreError(.sealed, "The record is sealed with another key")

    /// A store in which some tasks of an earlier process cannot be read.
    private static func fixture(
        _ paths: [String], unreadable: [Int]
    ) async throws -> (fixture: DispatcherFixture, tasks: [TaskRecord]) {
        let before = try DispatcherFixture()
        var tasks: [TaskRecord] = []
        for path in paths { tasks.append(try await before.create(path)) }
        await before.store.close()
        let fixture = try DispatcherFixture(folder: before.folder, concurrent: 1)
        let ids = Set(unreadable.map { tasks[$0].id })
        fixture.store.intervene { operation async throws(TaskStoreError) in
            if case .task(let id) = operation, ids.contains(id) { throw Self.sealed }
        }
        return (fixture, tasks)
    }

    @Test("They stay queued and take no slots from other tasks")
    func skipped() async throws {
        let (fixture, tasks) = try await Self.fixture(["a", "b", "c"], unreadable: [0, 1])
        try await fixture.open {
            try await fixture.expect(.succeeded, of: tasks[2])
            #expect(fixture.paths == ["/c"])
            await #expect(throws: Self.sealed) { try await fixture.context.task(tasks[0].id) }
            fixture.store.intervene(nil)
            for task in tasks[..<2] { #expect(try await fixture.stored(task)?.state == .queued) }
        }
        let later = try DispatcherFixture(folder: fixture.folder)
        try await later.open {
            for task in tasks { try await later.expect(.succeeded, of: task) }
            #expect(Set(later.paths) == ["/a", "/b"])
        }
    }

    @Test(
        "One with an attempt under way prevents no start: the others are recovered, and it can be deleted",
        arguments: [TaskStoreError.Code.sealed, .corrupt])
    func interrupted(code: TaskStoreError.Code) async throws {
        let before = try DispatcherFixture { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response }
        try await before.dispatcher.open()
        var tasks: [TaskRecord] = []
        for path in ["a", "b", "c"] { tasks.append(try await before.create(path)) }
        await before.dispatcher.close(patience: .zero)
        for task in tasks { #expect(try await before.stored(task)?.state == .running) }
        await before.store.close()
        let fixture = try DispatcherFixture(folder: before.folder)
        let unreadable = tasks[1].id
        fixture.store.intervene { operation async throws(TaskStoreError) in
            if case .task(unreadable) = operation { throw TaskStoreError(code, "The task cannot be read") }
        }
        try await fixture.open {
            for task in [tasks[0], tasks[2]] { try await fixture.expect(.succeeded, of: task) }
            #expect(try await fixture.store.interrupted(after: nil, limit: 10) == [unreadable])
            #expect(try await fixture.dispatcher.delete(unreadable))
            #expect(try await fixture.store.interrupted(after: nil, limit: 10).isEmpty)
            #expect(Set(fixture.paths) == ["/a", "/c"])
        }
    }

    @Test("One whose recovery cannot be stored, as it is damaged, prevents no start: the others are recovered")
    func unstoredRecovery() async throws {
        let before = try DispatcherFixture { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response }
        try await before.dispatcher.open()
        var tasks: [TaskRecord] = []
        for path in ["a", "b", "c"] { tasks.append(try await before.create(path)) }
        await before.dispatcher.close(patience: .zero)
        for task in tasks { #expect(try await before.stored(task)?.state == .running) }
        await before.store.close()
        let fixture = try DispatcherFixture(folder: before.folder)
        let damaged = tasks[1].id
        fixture.store.intervene { operation async throws(TaskStoreError) in
            guard case .update(let record) = operation, record.id == damaged else { return }
            throw TaskStoreError(.corrupt, "The task store contains an invalid value")
        }
        try await fixture.open {
            for task in [tasks[0], tasks[2]] { try await fixture.expect(.succeeded, of: task) }
            #expect(try await fixture.store.interrupted(after: nil, limit: 10) == [damaged])
            #expect(try await fixture.stored(tasks[1])?.state == .running)
            #expect(Set(fixture.paths) == ["/a", "/c"])
        }
    }

    /// Fails each change of a task.
    private static func fail(changesOf task: TaskRecord, in store: FlakyTaskStore, _ code: TaskStoreError.Code) {
        store.intervene { operation async throws(TaskStoreError) in
            guard case .update(let record) = operation, record.id == task.id else { return }
            throw TaskStoreError(code, "The task cannot be changed")
        }
    }

    @Test(
        "One whose start cannot be stored stays queued, is named in the log, and gives its slot to the next",
        arguments: [TaskStoreError.Code.sealed, .corrupt])
    func unstoredStart(code: TaskStoreError.Code) async throws {
        let before = try DispatcherFixture()
        var tasks: [TaskRecord] = []
        for path in ["a", "b"] { tasks.append(try await before.create(path)) }
        await before.store.close()
        let log = RecordedLog()
        let fixture = try DispatcherFixture(folder: before.folder, concurrent: 1, logger: log.logger)
        Self.fail(changesOf: tasks[0], in: fixture.store, code)
        try await fixture.open {
            try await fixture.expect(.succeeded, of: tasks[1])
            let line = await log.line("A task cannot be read or changed")
            #expect(line["task"] == tasks[0].id.description)
            #expect(!log.lines.contains { $0.message == "The store failed; trying again" })
            #expect(try await fixture.stored(tasks[0])?.state == .queued)
            #expect(fixture.dispatcher.running(session: "up") == 0)
            #expect(fixture.paths == ["/b"])
        }
    }

    @Test("The end of one is stored when that is possible again, and the log names it until then")
    func unstoredEnd() async throws {
        let log = RecordedLog()
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(logger: log.logger) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            Self.fail(changesOf: task, in: fixture.store, .corrupt)
            gate.open()
            let line = await log.line("The store failed; trying again")
            #expect(line["task"] == task.id.description)
            fixture.store.intervene(nil)
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("One that is due and cannot be changed gets its step once, and the next ones run")
    func unstoredDueTime() async throws {
        let time = ManualClock()
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let damaged = try await fixture.create("damaged", #","delay":"10s""#)
            let other = try await fixture.create("other", #","delay":"1m""#)
            let tries = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.id == damaged.id else { return }
                tries.append()
                throw TaskStoreError(.corrupt, "The task store is damaged")
            }
            try await until {
                if try await fixture.stored(other)?.state == .succeeded { return true }
                // A timer that is being set again misses an advance.
                if time.sleeperCount >= 2 { time.advance(by: .seconds(1)) }
                return false
            }
            #expect(tries.events.count == 1)
            #expect(fixture.paths == ["/other"])
        }
    }

    @Test("They can be deleted, and a purge cancels the others")
    func deleted() async throws {
        let (fixture, tasks) = try await Self.fixture(["a", "b", "c"], unreadable: [0, 2])
        _ = fixture.dispatcher.state.withLock { $0.admission.set(.suspended, to: true, session: "up") }
        try await fixture.open {
            #expect(try await fixture.dispatcher.cancelTasks(of: "up", scope: .all) == 1)
            try await fixture.expect(.canceled, of: tasks[1])
            #expect(try await fixture.dispatcher.delete(tasks[0].id))
            fixture.store.intervene(nil)
            #expect(try await fixture.stored(tasks[0]) == nil)
            #expect(try await fixture.stored(tasks[2])?.state == .queued)
            #expect(fixture.paths.isEmpty)
        }
    }
}
