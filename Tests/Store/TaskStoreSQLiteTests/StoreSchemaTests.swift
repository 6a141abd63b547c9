import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("StoreSchema")
struct StoreSchemaTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test(
        "A store of an earlier version is migrated to the tables of a new store",
        arguments: [
            [StoreVersion1.schema], [StoreVersion1.schema, StoreVersion2.schema],
            [StoreVersion1.schema, StoreVersion2.schema, StoreVersion3.schema],
        ])
    func sameTables(steps: [String]) async throws {
        try folder.plain { db in
            for step in steps { try db.execute(sql: step) }
        }
        try await folder.open().close()
        let new = try StoreFolder()
        try await new.open().close()
        #expect(try folder.schema == new.schema)
        #expect(try folder.schema.count > 10)
    }

    @Test("The migrations are v1, v2 and so on, as existing stores have them")
    func migrations() {
        let identifiers = StoreSchema.migrator.migrations
        #expect(identifiers == identifiers.indices.map { "v\($0 + 1)" })
        #expect(identifiers.count >= 12)
    }

    @Test("A file that has only the empty table of the migrator, as an interrupted first start leaves it, is empty")
    func interruptedStart() async throws {
        try folder.plain { try $0.execute(sql: Self.migratorTable) }
        try await folder.open().close()
        let new = try StoreFolder()
        try await new.open().close()
        #expect(try folder.schema == new.schema)
        let mark = try folder.plain { try Int32.fetchOne($0, sql: "PRAGMA application_id") }
        #expect(mark == StoreSchema.applicationID)
    }

    @Test(
        "A file with the table of another migrator is refused",
        arguments: ["INSERT INTO grdb_migrations VALUES ('v999')", "CREATE TABLE notes (text TEXT)"])
    func otherMigrator(sql: String) throws {
        try folder.plain { db in
            try db.execute(sql: Self.migratorTable)
            try db.execute(sql: sql)
        }
        let error = #expect(throws: TaskStoreError.self) { try folder.open() }
        #expect(error?.code == .foreign)
    }

    @Test("An empty file is marked before it has any table, and a foreign one is not")
    func marked() throws {
        let mark = "PRAGMA application_id"
        try folder.plain { db in
            try StoreSchema.claim(db)
            #expect(try Int32.fetchOne(db, sql: mark) == StoreSchema.applicationID)
            // The process may end here.
            try db.execute(sql: Self.migratorTable)
            try StoreSchema.check(db)
        }
        try StoreFolder().plain { db in
            try db.execute(sql: "CREATE TABLE notes (text TEXT)")
            try StoreSchema.claim(db)
            #expect(try Int32.fetchOne(db, sql: mark) == 0)
        }
    }

    /// The statement that the migrator executes before its first migration.
    private static let migratorTable = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"

    @Test("All tasks of version 1 are kept, and running or canceling ones have an open attempt")
    func tasks() async throws {
        try folder.plain { db in
            try db.execute(sql: StoreVersion1.schema)
            try db.execute(sql: StoreVersion1.tasks)
        }
        let store = try folder.open()
        var query = TaskQuery()
        query.sessions = ["a", "b"]
        let tasks = try await store.tasks(query).tasks.reversed().map(\.self)
        #expect(tasks.map(\.state) == TaskState.allCases)
        #expect(tasks.filter { $0.hasOpenAttempt }.map(\.state) == [.running, .canceling])
        let first = try #require(tasks.first)
        #expect(first.labels == ["team": "x"])
        #expect(
            try await store.task(first.id)?.specification
                == TaskSpecification(task: Array("{}".utf8), request: Array(#"{"n":1}"#.utf8), contentBytes: 1))
        #expect(first.result.error == Array(#"{"code":"x"}"#.utf8))
        let interrupted = try await store.interrupted(after: nil, limit: 10)
        #expect(interrupted == tasks.filter { $0.hasOpenAttempt }.map(\.id))
        #expect(try await store.pending(session: "a", after: nil, limit: 10) == [0, 1, 3, 4].map { tasks[$0].id })
        #expect(try await store.sessionControlStates().isEmpty)
        #expect(try await store.cookies(session: "a").isEmpty)
        #expect(try await store.counts().total == 9)
        // From now on the store behaves like any other.
        let lost = try #require(interrupted.first)
        var running = try #require(try await store.task(lost))
        running.change { record in
            #expect(record.life.handle(.attemptLost(mayResend: true)) == .changed)
            record.revision += 1
        }
        #expect(try await store.update(running, expecting: running.revision - 1))
        #expect(try await store.interrupted(after: nil, limit: 10) == Array(interrupted.dropFirst()))
        try await store.setSessionControlState(SessionControlState(name: "a", isSuspended: true))
        await store.close()
        #expect(try folder.plain { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        #expect(try folder.plain { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
    }

    @Test("The tasks of version 2 are found by every query for their state")
    func version2() async throws {
        try folder.plain { db in
            for sql in [StoreVersion1.schema, StoreVersion1.tasks, StoreVersion2.schema, StoreVersion2.tasks] {
                try db.execute(sql: sql)
            }
        }
        let store = try folder.open()
        func id(_ number: Int) -> TaskID { TaskID(timestamp: Timestamp(milliseconds: Int64(number)), a: 0, b: 0) }
        let all = try await store.tasks(TaskQuery()).tasks.reversed().map(\.self)
        #expect(all.map(\.id) == (1...12).map(id))
        #expect(all.map(\.state) == TaskState.allCases + [.suspended, .queued, .queued])
        #expect(all.filter { $0.hasOpenAttempt }.map(\.id) == [3, 6, 10].map(id))
        #expect(all.allSatisfy { $0.readyAt == $0.createdAt && !$0.isBlocked && $0.orderingKey == nil })
        // The highest priority is first, and the positions equal those of the records.
        let queued = try await store.queued(session: "a", after: nil, limit: 10)
        #expect(queued == [11, 2, 12].map { all[$0 - 1].queuePosition })
        // A task without a time to wait for is due immediately.
        let due = try await store.due(at: Timestamp(milliseconds: 10), after: nil, limit: 10)
        #expect(due.map(\.id) == [1, 4].map(id))
        #expect(due.first?.moment == Timestamp(milliseconds: 1))
        let finished = try await store.finished(beyond: 1, after: nil, limit: 10)
        #expect(finished.map(\.id) == [7, 8].map(id))
        #expect(try await store.overdue(at: .latest, after: nil, limit: 10).isEmpty)
        #expect(try await store.eventBounds() == EventBounds(forgotten: 0, newest: 0))
        #expect(try await store.schedules().isEmpty)
        #expect(try await store.sessionControlStates() == [SessionControlState(name: "a", isSuspended: true)])
        // Each task can change its state and be removed.
        for var record in all {
            record.change { $0.revision += 1 }
            #expect(try await store.update(record, expecting: record.revision - 1))
            #expect(try await store.task(record.id)?.listed == record)
            #expect(try await store.delete(record.id))
        }
        #expect(try await store.counts() == TaskCounts())
        await store.close()
        #expect(try folder.plain { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        #expect(try folder.plain { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
    }

    @Test("The tasks and holds of version 11 are kept, and agree with a clock that was never set")
    func version11() async throws {
        let queue = try DatabaseQueue(path: folder.path)
        try StoreSchema.migrator.migrate(queue, upTo: "v11")
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    INSERT INTO tasks (
                        number, id, session, kind, state, priority, created_at, updated_at, revision, attempt_count,
                        not_before, due_at, is_delayed)
                    VALUES (1, ?, 'a', 'data', 'scheduled', 5, 0, 0, 1, 0, 600000, 600000, 1)
                    """, arguments: [TaskID.sample(1).blob])
            try db.execute(
                sql: """
                    INSERT INTO specifications VALUES (1, x'', x'7b7d', 0, NULL, x'7b7d');
                    INSERT INTO upstream_holds VALUES ('a', x'', 60000, NULL);
                    """)
        }
        try queue.close()
        let store = try folder.open()
        let task = try #require(try await store.task(.sample(1)))
        #expect(task.clockOffset == .zero)
        #expect(task.notBefore == Timestamp(milliseconds: 600_000))
        #expect(try await store.due(at: .latest, after: nil, limit: 10).map(\.id) == [task.id])
        let hold = UpstreamHold(session: "a", origin: "", quietUntil: Timestamp(milliseconds: 60_000))
        #expect(try await store.upstreamHolds() == [hold])
        #expect(try await store.clock() == StoredClock())
        await store.close()
    }

    @Test("The idempotency keys of version 3 still work, and now outlive their tasks")
    func version3() async throws {
        try folder.plain { db in
            for sql in [
                StoreVersion1.schema, StoreVersion1.tasks, StoreVersion2.schema, StoreVersion3.schema,
                StoreVersion3.keys,
            ] { try db.execute(sql: sql) }
        }
        let store = try folder.open()
        func claim(_ number: Int) -> IdempotencyClaim { .sample("key-\(number)", payload: 0) }
        let tasks = try await store.tasks(TaskQuery()).tasks.filter(\.state.isTerminal).map(\.id)
        for number in [7, 8] {
            let id = TaskID(timestamp: Timestamp(milliseconds: Int64(number)), a: 0, b: 0)
            #expect(tasks.contains(id))
            #expect(try await store.replay(of: claim(number), at: .earliest) == .replayed(id))
            #expect(try await store.replay(of: claim(number), at: Timestamp(milliseconds: 8000)) == nil)
            #expect(try await store.delete(id, because: .retention))
            guard case .replayedRemoved(let left) = try await store.replay(of: claim(number), at: .earliest) else {
                Issue.record("The key of version 3 is gone with its task")
                continue
            }
            #expect(left.id == id)
            #expect(left.state.isTerminal)
        }
        #expect(try await store.replay(of: .sample("key-7", payload: 1), at: .earliest) == .keyReused)
        await store.close()
        #expect(try folder.plain { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    }
}

extension StoreFolder {
    /// The schema of the closed database.
    fileprivate var schema: [String] {
        get throws {
            try plain { db in
                try String.fetchAll(
                    db, sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name")
            }
        }
    }
}
