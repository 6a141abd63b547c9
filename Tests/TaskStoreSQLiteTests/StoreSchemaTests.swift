import GRDB
import TaskStore
import Testing

@testable import TaskStoreSQLite

@Suite("StoreSchema")
struct StoreSchemaTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test("A store of version 1 is brought to the present tables, which are those of a new store")
    func sameTables() async throws {
        try folder.plain { try $0.execute(sql: StoreVersion1.schema) }
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
