import GRDB
import Support
import TaskStore
import Testing

@testable import TaskStoreSQLite

@Suite("StoreSchema")
struct StoreSchemaTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test(
        "A store of an earlier version is brought to the present tables, which are those of a new store",
        arguments: [[StoreVersion1.schema], [StoreVersion1.schema, StoreVersion2.schema]])
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

    @Test("The tasks of version 1 are all there, and those that were running or canceling have an open attempt")
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
            first.specification
                == TaskSpecification(task: Array("{}".utf8), request: Array(#"{"n":1}"#.utf8), contentBytes: 1))
        #expect(first.result.error == Array(#"{"code":"x"}"#.utf8))
        let interrupted = try await store.interrupted(after: nil, limit: 10)
        #expect(interrupted.map(\.state) == [.running, .canceling])
        #expect(try await store.pending(session: "a", after: nil, limit: 10) == [0, 1, 3, 4].map { tasks[$0].id })
        #expect(try await store.sessionMarks().isEmpty)
        #expect(try await store.cookies(session: "a").isEmpty)
        #expect(try await store.counts().total == 9)
        // It is a store like any other from now on.
        var running = try #require(interrupted.first)
        #expect(running.life.handle(.attemptLost(mayResend: true)) == .changed)
        running.revision += 1
        #expect(try await store.update(running, expecting: running.revision - 1))
        #expect(try await store.interrupted(after: nil, limit: 10).map(\.state) == [.canceling])
        try await store.setSessionMark(SessionMark(name: "a", isSuspended: true))
        await store.close()
        #expect(try folder.plain { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        #expect(try folder.plain { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
    }

    @Test("The tasks of version 2 are found wherever a task of their state is looked for")
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
        // The highest priority first; the positions are those that the records have.
        let queued = try await store.queued(session: "a", after: nil, limit: 10)
        #expect(queued == [11, 2, 12].map { all[$0 - 1].queuePosition })
        // A task without a time for which it waits is due at once.
        #expect(try await store.due(at: Timestamp(milliseconds: 10), limit: 10) == [1, 4].map(id))
        #expect(try await store.nextAlarm() == Timestamp(milliseconds: 1))
        #expect(try await store.finished(beyond: 1, limit: 10) == [7, 8].map(id))
        #expect(try await store.overdue(at: .latest, limit: 10).isEmpty)
        #expect(try await store.eventBounds() == EventBounds(forgotten: 0, newest: 0))
        #expect(try await store.schedules().isEmpty)
        #expect(try await store.sessionMarks() == [SessionMark(name: "a", isSuspended: true)])
        // Each can live on, and be removed.
        for var record in all {
            record.revision += 1
            #expect(try await store.update(record, expecting: record.revision - 1))
            #expect(try await store.task(record.id) == record)
            #expect(try await store.delete(record.id))
        }
        #expect(try await store.counts() == TaskCounts())
        await store.close()
        #expect(try folder.plain { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        #expect(try folder.plain { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
    }
}

extension StoreFolder {
    /// What the closed database says that it consists of.
    fileprivate var schema: [String] {
        get throws {
            try plain { db in
                try String.fetchAll(
                    db, sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name")
            }
        }
    }
}
