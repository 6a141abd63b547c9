import ErrandSupport
import ErrandTaskStore
import GRDB
import Logging
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("Checkpointer")
struct CheckpointerTests {
    /// The time that a writer waits if it waits at all: longer than a test may take.
    private static let busyTimeoutMilliseconds = 3_600_000

    @Test(
        "No write waits for the snapshot of another connection, a warning tells it; once it is gone, the log restarts",
        .timeLimit(.hang))
    func reader() async throws {
        let folder = try StoreFolder()
        let log = RecordedLog()
        let store = try folder.open(busyTimeoutMilliseconds: Self.busyTimeoutMilliseconds, logger: log.logger)
        try await store.insert(.sample(0))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.path, configuration: configuration)
        try await other.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM tasks")
        }
        var document = TaskRecord.sample(1)
        document.change { $0.specification.request = [UInt8](repeating: 0x20, count: 400_000) }
        // The snapshot stays until all of them are done: a write that waits for it does not end.
        var number = 0
        while number < 400 || !log.lines.contains(where: { $0["wal_bytes"] != nil }) {
            try Task.checkCancellation()
            number += 1
            var record = TaskRecord.sample(number)
            record.change { $0.specification.request = document.specification.request }
            try await store.insert(record)
        }
        let grown = try #require(fileSize(folder.path + "-wal"))
        #expect(grown > 64 << 20)
        let warning = try #require(log.lines.first { $0["wal_bytes"] != nil })
        #expect(warning.level == .warning && warning.message.contains("end the reader before the disk is full"))
        let bytes = try #require(warning["wal_bytes"].flatMap { Int($0) })
        #expect(bytes >= CheckpointSchedule.framesToTell * CheckpointSchedule.frameBytes)
        try await other.writeWithoutTransaction { try $0.commit() }
        try other.close()
        // The file keeps its length, so the checkpointed frames and a line show that the log restarted.
        let restarted = RecordedLog.Line(level: .notice, message: "Write-ahead log restarted", metadata: [:])
        while try #require(fileSize(folder.path)) < 100 << 20 || !log.lines.contains(restarted) {
            try Task.checkCancellation()
            number += 1
            try await store.insert(.sample(number))
        }
        await store.close()
        #expect(!folder.exists("-wal"))
    }

    @Test("The failure of a restart of the log stays until a checkpoint has really covered the log", .timeLimit(.hang))
    func failedRestart() async throws {
        let folder = try StoreFolder()
        let opening = StoreOpening(path: folder.path, durability: .normal)
        let writer = try opening.writer()
        let side = try opening.checkpoints()
        let log = RecordedLog()
        let checkpointer = Checkpointer(side, logger: log.logger)
        let hasRestarted = try await writer.writeWithoutTransaction { db in
            // SQLite refuses a checkpoint of a connection that writes, and has checkpointed nothing then.
            try db.beginTransaction(.immediate)
            let hasRestarted = checkpointer.restartLogNow(db)
            try db.rollback()
            return hasRestarted
        }
        #expect(!hasRestarted)
        #expect(checkpointer.failure?.code == .locked)
        #expect(log.lines.map(\.message) == ["Write-ahead log cannot be moved into the database"])
        let before = try #require(fileSize(folder.path))
        #expect(await checkpointer.retry() == nil)
        #expect(checkpointer.failure == nil)
        #expect(log.lines.last?.message == "Write-ahead log is moved into the database again")
        // The tables were in the log only.
        let after = try #require(fileSize(folder.path))
        #expect(after > before)
        await checkpointer.finish()
        try side.close()
        try writer.close()
    }

    @Test("The end does not wait for a checkpoint that takes long if much of the log is left", .timeLimit(.hang))
    func endDuringCheckpoint() async throws {
        let folder = try StoreFolder()
        let opening = StoreOpening(path: folder.path, durability: .normal)
        let writer = try opening.writer()
        let side = try opening.checkpoints()
        let log = RecordedLog()
        let checkpointer = Checkpointer(side, logger: log.logger)
        let begun = Signal<Void>()
        let isInterrupted = Signal<Bool>()
        // In place of a checkpoint of a long log: it ends by an interruption only.
        side.asyncWriteWithoutTransaction { db in
            do {
                let numbers = try Int.fetchCursor(
                    db, sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
                _ = try numbers.next()
                begun.send()
                while try numbers.next() != nil {}
                isInterrupted.send(false)
            } catch {
                isInterrupted.send((error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT)
            }
        }
        await begun.wait()
        try await writer.writeWithoutTransaction { db in
            checkpointer.willWrite()
            checkpointer.didWrite(frames: CheckpointSchedule.maxFramesAtEnd + 1, db)
        }
        await checkpointer.finish()
        #expect(await isInterrupted.wait())
        #expect(checkpointer.leavesRest)
        #expect(checkpointer.failure == nil)
        #expect(log.lines.isEmpty)
        try side.close()
        try writer.close()
    }

    @Test("Continuous reads of lists do not let the log grow, and are still answered", .timeLimit(.hang))
    func lists() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.insert(all: (0..<2000).map { TaskRecord.sample($0) })
        // A filter that no index serves: each read passes all tasks.
        var query = TaskQuery()
        query.schedule = "none"
        let walks = query
        let before = try restarts(ofLog: folder.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let answers = (0..<4).map { _ in Signal<Void>() }
            for answered in answers {
                group.addTask {
                    while !Task.isCancelled {
                        do {
                            _ = try await store.tasks(walks)
                            answered.send()
                        } catch let error as TaskStoreError where error.code == .canceled {
                            break
                        }
                    }
                }
            }
            // Writes at least 96 MiB, more than twice the length at which the log restarts, and until it has restarted
            // and every reader was answered: for ever if the log only grows, or if a reader waits for the end of the
            // writes.
            var number = 10_000
            while try number < 10_640 || !answers.allSatisfy(\.isSent) || restarts(ofLog: folder.path) == before {
                try Task.checkCancellation()
                let tasks = (number..<number + 20).map { number in
                    var record = TaskRecord.sample(number)
                    record.change { $0.specification.request = [UInt8](repeating: 0x20, count: 160_000) }
                    return NewTask(record)
                }
                for result in await store.insert(tasks) { _ = try result.get() }
                number += tasks.count
            }
            // Lists that were held while the log restarted are answered again.
            _ = try await store.tasks(walks)
            group.cancelAll()
            try await group.waitForAll()
        }
        await store.close()
    }
}
