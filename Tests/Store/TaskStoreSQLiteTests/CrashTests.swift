import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import FoundationEssentials
import GRDB
import Glibc
import Testing

@Suite("A store whose process is killed")
struct CrashTests {
    /// The number of acknowledged tasks after which the process is killed, among concurrent commits.
    ///
    /// In the long form the log has restarted several times before.
    static let tasksUntilKill = Soak.isWanted ? 20_000 : 1500

    @Test("has every acknowledged task completely, and can be opened immediately", arguments: Durability.allCases)
    func killed(durability: Durability) async throws {
        let folder = try StoreFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, durability = durability.rawValue as String] in
            endInTime()
            let store = try SQLiteTaskStore(path: path, durability: Durability(rawValue: durability) ?? .full)
            // Data that was written to a file outlives the process.
            let journal = open(path + ".acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            let tally = Tally()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        for number in 0... {
                            var record = TaskRecord.sample(writer * 100_000 + number, labels: ["w": "\(writer)"])
                            record.change { $0.orderingKey = "\(number % 3)" }
                            let claim = IdempotencyClaim.sample("\(record.id)")
                            _ = try await store.insert(NewTask(record, idempotency: claim))
                            record.finish(TaskResult.samples[number % 5], revision: 2)
                            guard try await store.update(record, expecting: 1) else { return }
                            let line = Array("\(record.id)\n".utf8)
                            guard write(journal, line, line.count) == line.count else { return }
                            // Kills the process while other commits are running.
                            if tally.add() == CrashTests.tasksUntilKill { kill(getpid(), SIGKILL) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let acknowledged = try String(contentsOf: URL(filePath: path + ".acknowledged"), encoding: .utf8)
            .split(separator: "\n").compactMap { TaskID(String($0)) }
        #expect(acknowledged.count >= Self.tasksUntilKill)
        #expect(folder.exists("-wal"))
        let store = try folder.open()
        for id in acknowledged {
            let record = try await store.task(id)
            guard let record, record.state == .succeeded, record.revision == 2, record.labels.count == 1,
                TaskResult.samples.contains(record.result)
            else {
                Issue.record("\(id) was acknowledged and is \(String(describing: record))")
                break
            }
        }
        let first = try #require(acknowledged.first)
        let again = NewTask(.sample(9_999_999), idempotency: .sample("\(first)"))
        #expect(try await store.insert(again) == .replayed(first))
        let counts = try await store.counts()
        #expect(counts[.succeeded] >= acknowledged.count)
        #expect(counts.total <= counts[.succeeded] + 16)
        await store.close()
        #expect(try folder.plain { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        #expect(try folder.plain { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
        #expect(try folder.plain { try Row.fetchAll($0, sql: Self.keysWithoutOneTurn) }.isEmpty)
        #expect(try folder.plain { try Row.fetchAll($0, sql: Self.statesWithoutEvent) }.isEmpty)
    }

    @Test("leaves a long log to the next start, which moves it, so that it restarts", .timeLimit(.hang))
    func longLog() async throws {
        let folder = try StoreFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            endInTime()
            let store = try SQLiteTaskStore(path: path, durability: .normal)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(path: path, configuration: configuration)
            // Its snapshot keeps the log from being moved.
            try await reader.writeWithoutTransaction { db in
                try db.beginTransaction(.deferred)
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM tasks")
            }
            for number in 0..<400 {
                var record = TaskRecord.sample(number)
                record.change { $0.specification.request = [UInt8](repeating: 0x20, count: 200_000) }
                try await store.insert(record)
            }
            withExtendedLifetime((store, reader)) { _ = kill(getpid(), SIGKILL) }
        }
        let left = try #require(fileSize(path + "-wal"))
        #expect(left > 72 << 20)
        let before = try restarts(ofLog: path)
        let store = try folder.open()
        #expect(store.work.logBytes > 72 << 20)
        try await store.insert(.sample(1000))
        try await until { store.work.logBytes == 0 }
        #expect(try restarts(ofLog: path) > before)
        #expect(try await store.counts().total == 401)
        await store.close()
    }

    /// The ordering keys with waiting tasks, except those in which exactly one task has the turn.
    private static let keysWithoutOneTurn = """
        SELECT session, ordering_key FROM tasks
        WHERE ordering_key IS NOT NULL AND state NOT IN ('scheduled', 'succeeded', 'failed', 'canceled')
        GROUP BY session, ordering_key HAVING sum(is_blocked = 0) != 1
        """

    /// The tasks whose last event does not match their state.
    private static let statesWithoutEvent = """
        SELECT id FROM tasks t WHERE 'task.' || state IS NOT (
            SELECT kind FROM events e WHERE e.number = t.number ORDER BY e.id DESC LIMIT 1)
        """
}
