import ErrandSupport
import ErrandTaskStore
import ErrandTime
import GRDB
import Logging
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("Damaged rows")
struct DamagedRowsTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    /// A read of a store with a damaged row.
    enum Read: Sendable {
        case events
        case task
        case tasks
    }

    /// The damages of rows that every read of a whole task finds.
    private static let ofTasks = [
        "UPDATE tasks SET has_open_attempt = 1", "UPDATE tasks SET has_open_attempt = 2",
        "UPDATE tasks SET state = 'running'", "UPDATE tasks SET state = 'flying'", "UPDATE tasks SET kind = 'x'",
        "UPDATE tasks SET is_blocked = 2", "UPDATE tasks SET parent = x'00'", "UPDATE tasks SET retry_of = x''",
        "UPDATE results SET object_kind = 'x'", "UPDATE results SET body_sha256 = NULL",
        "UPDATE results SET body_sha256 = x''",
    ]

    /// The damages that only the read of a single task finds: a list leaves the object out, or takes it as it is.
    private static let ofObjects = [
        "UPDATE results SET object_end = 1000000000000", "UPDATE results SET object_start = -1",
    ]

    /// The damages that a read of events finds.
    private static let ofEvents = [
        "UPDATE tasks SET id = x'00'", "UPDATE tasks SET kind = 'x'", "UPDATE tasks SET parent = x'00'",
        "UPDATE events SET kind = 'task.flying'", "UPDATE deletions SET task = x'00'",
        "UPDATE deletions SET kind = 'x'",
    ]

    static let damages: [(Read, String)] =
        ofEvents.map { (Read.events, $0) } + (ofTasks + ofObjects).map { (Read.task, $0) }
        + ofTasks.map { (Read.tasks, $0) }

    /// The file of a store with a task that has a result, and the deletion of another one.
    private static let valid = Task {
        try await StoreFolder.file { store in
            var record = TaskRecord.sample(1)
            record.change { $0.result = TaskResult.samples[0] }
            try await store.insert(record)
            try await store.insert(.sample(2))
            _ = try await store.delete(.sample(2))
        }
    }

    @Test("An invalid row is an error of each read that comes to it, not a crash", arguments: DamagedRowsTests.damages)
    func badRow(read: Read, sql: String) async throws {
        let id = TaskID.sample(1)
        try folder.restore(try await Self.valid.value)
        try folder.plain { try $0.execute(sql: sql) }
        let store = try folder.open()
        let error = await #expect(throws: TaskStoreError.self) {
            switch read {
            case .events: _ = try await store.events(after: 0, task: nil, limit: 10)
            case .task: _ = try await store.task(id)
            case .tasks: _ = try await store.tasks(TaskQuery())
            }
        }
        #expect(error?.code == .corrupt)
        await store.close()
    }

    @Test("A body without bytes and without a digest, as earlier versions have stored it, is no body")
    func bodyWithoutDigest() async throws {
        var record = TaskRecord.sample(1)
        record.change {
            $0.result = TaskResult.samples[0]
            $0.result.body = .sample(.inline([]))
            $0.result.object = .none
        }
        let first = try folder.open()
        try await first.insert(record)
        await first.close()
        try folder.plain { try $0.execute(sql: "UPDATE results SET body_sha256 = x''") }
        record.change { $0.result.body = nil }
        let store = try folder.open()
        #expect(try await store.task(record.id) == record)
        #expect(try await store.tasks(TaskQuery()).tasks.map(\.result.body) == [nil])
        await store.close()
    }

    @Test("A clock with a damaged flag is not settled, and does not prevent the start")
    func damagedClock() async throws {
        let first = try folder.open()
        var clock = StoredClock(offset: .seconds(-60), at: .latest)
        try await first.setClock(clock)
        await first.close()
        try folder.plain { try $0.execute(sql: "UPDATE clock SET is_settled = 2") }
        let store = try folder.open()
        clock.isSettled = false
        #expect(try await store.clock() == clock)
        await store.close()
    }

    /// The files of stores with two and with three tasks of one ordering key, numbered from 1.
    private static let twoKeyed = Task { try await StoreFolder.file { try await addKeyed(2, to: $0) } }
    private static let threeKeyed = Task { try await StoreFolder.file { try await addKeyed(3, to: $0) } }

    private static func addKeyed(_ count: Int, to store: SQLiteTaskStore) async throws {
        for number in 1...count { try await store.insert(.keyed(number)) }
    }

    /// Opens a store with two or three tasks of one ordering key, numbered from 1, of which one is damaged.
    private func openDamaged(_ count: Int, number: Int, by change: String) async throws -> SQLiteTaskStore {
        try folder.restore(try await (count == 2 ? Self.twoKeyed : Self.threeKeyed).value)
        try folder.plain { try $0.execute(sql: "UPDATE tasks SET \(change) WHERE number = \(number)") }
        return try folder.open()
    }

    /// Returns the change that ends a task with an ordering key.
    private func end(_ number: Int) -> TaskUpdate {
        var record = TaskRecord.keyed(number)
        record.change {
            $0.state = .succeeded
            $0.revision = 2
        }
        return TaskUpdate(record, expecting: 1)
    }

    @Test(
        "An invalid row prevents changes of its task only",
        arguments: ["is_blocked = 2", "kind = 'x'", "state = 'flying'", "has_open_attempt = 2"])
    func badRowWritten(change: String) async throws {
        let store = try await openDamaged(2, number: 1, by: change)
        let update = end(1)
        let error = await #expect(throws: TaskStoreError.self) { try await store.update(update) }
        #expect(error?.code == .corrupt)
        #expect(try await store.update(end(2)) == .stored(nil))
        await store.close()
    }

    @Test(
        "A damaged task can be deleted, which is an event, and the next one of its ordering key gets the turn",
        arguments: [
            "is_blocked = 2", "kind = 'x'", "state = 'flying'", "has_open_attempt = 2", "parent = x'00'",
            "content = x'00'",
        ], [DeletionReason.client, .retention])
    func damagedTaskDeleted(change: String, reason: DeletionReason) async throws {
        let store = try await openDamaged(3, number: 1, by: change)
        let deletion = try await store.delete(.sample(1), at: .latest, because: reason)
        let next = TaskRecord.keyed(2).queuePosition
        #expect(deletion == Deletion(release: TaskRelease(session: "github", position: next, isQueued: true)))
        #expect(try await store.task(.sample(1)) == nil)
        #expect(try await store.counts().total == 2)
        let event = try #require(try await store.events(after: 0, task: nil, limit: 100).last)
        #expect(event.kind == .deleted)
        #expect(event.task == .sample(1))
        #expect(try await store.delete(.sample(2)))
        await store.close()
        let again = try folder.open()
        #expect(try await again.counts().total == 1)
        await again.close()
    }

    @Test("The deletion of a damaged task leaves the turn of its ordering key to the task that has it")
    func damagedTaskDeletedOutOfTurn() async throws {
        let store = try await openDamaged(3, number: 2, by: "is_blocked = 2")
        #expect(try await store.delete(.sample(2), at: .latest, because: .client) == Deletion(release: nil))
        let next = TaskRecord.keyed(3).queuePosition
        let release = TaskRelease(session: "github", position: next, isQueued: true)
        #expect(try await store.update(end(1)) == .stored(release))
        await store.close()
    }

    @Test(
        "A damaged task keeps no other task of its ordering key from ending, nor a new one from its turn",
        arguments: ["state = 'flying'", "id = x'00'"])
    func damagedTurn(change: String) async throws {
        let store = try await openDamaged(2, number: 2, by: change)
        #expect(try await store.update(end(1)) == .stored(nil))
        #expect(try await store.insert(NewTask(.keyed(3))) == .inserted(isBlocked: false))
        await store.close()
    }

    @Test(
        "The turn of an ordering key passes a damaged task, and goes to the one behind it",
        arguments: ["state = 'flying'", "id = x'00'"])
    func damagedTurnPassed(change: String) async throws {
        let store = try await openDamaged(3, number: 2, by: change)
        let next = TaskRecord.keyed(3).queuePosition
        let release = TaskRelease(session: "github", position: next, isQueued: true)
        #expect(try await store.update(end(1)) == .stored(release))
        #expect(try await store.queued(session: "github", after: nil, limit: 10) == [next])
        await store.close()
    }

    @Test(
        "An invalid cookie is an error, not a crash",
        arguments: [
            "UPDATE cookies SET is_host_only = 2", "UPDATE cookies SET is_secure = 2",
            "UPDATE cookies SET is_http_only = 9223372036854775807",
        ])
    func badCookie(sql: String) async throws {
        let first = try folder.open()
        try await first.update(cookies: [.set(.sample("a"))], session: "github")
        await first.close()
        try folder.plain { try $0.execute(sql: sql) }
        let store = try folder.open()
        let error = await #expect(throws: TaskStoreError.self) {
            _ = try await store.cookies(session: "github")
        }
        #expect(error?.code == .corrupt)
        await store.close()
    }

    @Test(
        "An invalid control state holds its session, and hides no other",
        arguments: [
            ("UPDATE session_marks SET is_closed = 2 WHERE name = 'a'", SessionControlState(name: "a", isClosed: true)),
            (
                "UPDATE session_marks SET is_suspended = -1, is_closed = 0 WHERE name = 'a'",
                SessionControlState(name: "a", isSuspended: true)
            ),
        ])
    func badControlState(sql: String, read: SessionControlState) async throws {
        let first = try folder.open()
        let other = SessionControlState(name: "b", isSuspended: true)
        for state in [SessionControlState(name: "a", isClosed: true), other] {
            try await first.setSessionControlState(state)
        }
        await first.close()
        try folder.plain { try $0.execute(sql: sql) }
        let store = try folder.open()
        #expect(try await store.sessionControlStates() == [read, other])
        await store.close()
    }

    @Test("An invalid schedule is suspended or of the API, and hides no other")
    func badSchedule() async throws {
        let first = try folder.open()
        for name in ["a", "b"] {
            var schedule = ScheduleRecord.sample(name)
            schedule.origin = .configuration
            schedule.lastTask = .sample(1)
            #expect(try await first.put(schedule, expecting: nil, inserting: nil))
        }
        let other = try await first.schedules().last
        await first.close()
        try folder.plain { db in
            try db.execute(
                sql: "UPDATE schedules SET origin = 'x', is_suspended = 2, last_task = x'00' WHERE name = 'a'")
        }
        let store = try folder.open()
        let schedules = try await store.schedules()
        #expect(schedules.map(\.name) == ["a", "b"])
        #expect(schedules.last == other)
        #expect(schedules.first?.origin == .api)
        #expect(schedules.first?.isSuspended == true)
        #expect(schedules.first?.lastTask == nil)
        await store.close()
    }

    @Test(
        "A damaged task with an open attempt is found beside the others, fails alone, and can be deleted",
        arguments: ["UPDATE tasks SET content = x'00'", "UPDATE tasks SET retry_of = x'00'"])
    func damagedAttempt(sql: String) async throws {
        let first = try folder.open()
        for number in 1...3 { try await first.insert(.sample(number, state: .running)) }
        await first.close()
        try folder.plain { try $0.execute(sql: "\(sql) WHERE number = 2") }
        let store = try folder.open()
        #expect(try await store.interrupted(after: nil, limit: 10) == [.sample(1), .sample(2), .sample(3)])
        let error = await #expect(throws: TaskStoreError.self) { try await store.task(.sample(2)) }
        #expect(error?.code == .corrupt)
        for number in [1, 3] { #expect(try await store.task(.sample(number))?.state == .running) }
        #expect(try await store.delete(.sample(2)))
        #expect(try await store.interrupted(after: nil, limit: 10) == [.sample(1), .sample(3)])
        await store.close()
    }

    /// Reads all pages of tasks.
    private func pages<Position>(_ read: (Position?) async throws -> [Position]) async throws -> [Position] {
        var found: [Position] = []
        while true {
            let page = try await read(found.last)
            guard !page.isEmpty else { return found }
            found += page
        }
    }

    @Test(
        "The dispatcher reads all tasks but those with a damaged identifier, which is logged once",
        arguments: ["CAST(substr(id, 1, 6) || number AS BLOB)", "CAST(x'00' || number AS BLOB)"])
    func damagedIdentifiers(id: String) async throws {
        let first = try folder.open()
        let moment = Timestamp(milliseconds: 1000)
        for number in 1...4 {
            var waiting = TaskRecord.sample(number, state: .waiting)
            waiting.change {
                $0.nextAttemptAt = moment
                $0.deadline = moment
                $0.expiresAt = moment
            }
            var ended = TaskRecord.sample(30 + number, session: "ended", state: .failed)
            ended.change { $0.finishedAt = moment }
            let queued = TaskRecord.sample(10 + number, session: "queued")
            let open = TaskRecord.sample(20 + number, session: "open", state: .running)
            for record in [waiting, queued, open, ended] { try await first.insert(record) }
        }
        await first.close()
        // The second and the third of each kind.
        try folder.plain { try $0.execute(sql: "UPDATE tasks SET id = \(id) WHERE number BETWEEN 5 AND 12") }
        let log = RecordedLog()
        let store = try folder.open(logger: log.logger)
        for limit in [1, 10] {
            let due = try await pages { try await store.due(at: .latest, after: $0, limit: limit) }
            #expect(due.map(\.id) == [.sample(1), .sample(4)])
            let overdue = try await pages { try await store.overdue(at: .latest, after: $0, limit: limit) }
            #expect(overdue.map(\.id) == [.sample(1), .sample(4)])
            let queued = try await pages { try await store.queued(session: "queued", after: $0, limit: limit) }
            #expect(queued.map(\.id) == [.sample(11), .sample(14)])
            let interrupted = try await pages { try await store.interrupted(after: $0, limit: limit) }
            #expect(interrupted == [.sample(21), .sample(24)])
            let pending = try await pages { try await store.pending(session: "github", after: $0, limit: limit) }
            #expect(pending == [.sample(1), .sample(4)])
            let expired = try await pages { try await store.expired(at: .latest, after: $0, limit: limit) }
            #expect(expired.map(\.id) == [.sample(1), .sample(4)])
            let finished = try await pages { try await store.finished(beyond: 0, after: $0, limit: limit) }
            #expect(finished.map(\.id) == [.sample(31), .sample(34)])
            let newest = try await pages { (last: TaskID?) in
                var query = TaskQuery()
                query.states = [.waiting]
                query.pageSize = limit
                query.after = last
                return try await store.identifiers(query, for: .dispatcher)
            }
            #expect(newest == [.sample(4), .sample(1)])
        }
        let line = RecordedLog.Line(
            level: .error, message: "A task has a damaged identifier and is left out", metadata: ["row": "5"])
        #expect(log.lines.filter { $0.message == line.message } == [line])
        await store.close()
    }

    @Test("A task with an unknown state does not keep the store from opening, and is not counted")
    func unknownState() async throws {
        let first = try folder.open()
        for number in 1...2 { try await first.insert(.sample(number)) }
        await first.close()
        try folder.plain { try $0.execute(sql: "UPDATE tasks SET state = 'flying' WHERE number = 1") }
        let store = try folder.open()
        #expect(try await store.counts().total == 1)
        #expect(try await store.task(.sample(2)) == TaskRecord.sample(2))
        await store.close()
    }
}
