import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("StoreWriter", .timeLimit(.hang))
struct StoreWriterTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    /// Calls `body` with a writer and its connection, which a test can pause and make fail.
    private func withWriter(
        _ body: (StoreWriter, DatabaseQueue) async throws -> Void
    ) async throws {
        let opening = StoreOpening(path: folder.path, durability: .normal)
        let database = try opening.writer()
        let side = try opening.checkpoints()
        let checkpointer = Checkpointer(side)
        let writer = try StoreWriter(
            database, checkpointer: checkpointer, ballast: Ballast(database: folder.path))
        try await body(writer, database)
        await writer.close()
        await checkpointer.finish()
        try side.close()
        try database.close()
    }

    @Test("The work has the age of the transaction under way, and none when it has ended")
    func transactionAge() async throws {
        try await withWriter { writer, _ in
            #expect(writer.work.transactionAge == nil)
            let (isRunning, held) = (Signal<Void>(), HeldQueue())
            writer.observe { _ in
                isRunning.send()
                held.wait()
            }
            let write = Task { try await insert(.sample(1))(writer) }
            await isRunning.wait()
            let first = try #require(writer.work.transactionAge)
            let second = try #require(writer.work.transactionAge)
            #expect(second > first)
            held.release()
            #expect(try await write.value)
            try await until { writer.work.transactionAge == nil }
        }
    }

    /// A write, which returns true if it changed something.
    private typealias Write = @Sendable (StoreWriter) async throws(TaskStoreError) -> Bool

    private func insert(_ record: TaskRecord) -> Write {
        { writer async throws(TaskStoreError) in
            try await writer.perform(.insert(NewTask(record))).get() == .inserted(isBlocked: false)
        }
    }

    private func update(_ record: TaskRecord, expecting expected: Int64) -> Write {
        { writer async throws(TaskStoreError) in
            try await writer.perform(.update(TaskUpdate(record, expecting: expected))) != .stale
        }
    }

    private func delete(_ id: TaskID) -> Write {
        { writer async throws(TaskStoreError) in
            try await writer.perform(.delete(id, at: .latest, because: .client)) != nil
        }
    }

    private func cookies(_ changes: [StoredCookieChange]) -> Write {
        { writer async throws(TaskStoreError) in
            try await writer.perform(.cookies(changes, session: "s"))
            return true
        }
    }

    /// Submits writes while the writer is paused, so that they share one transaction.
    private func together(
        _ writes: [Write], _ writer: StoreWriter, _ database: DatabaseQueue
    ) async throws -> [Result<Bool, TaskStoreError>] {
        let held = HeldQueue()
        database.asyncWriteWithoutTransaction { _ in held.wait() }
        let results = try await withThrowingTaskGroup(of: (Int, Result<Bool, TaskStoreError>).self) { group in
            defer { held.release() }
            for (number, write) in writes.enumerated() {
                group.addTask {
                    do throws(TaskStoreError) {
                        return (number, .success(try await write(writer)))
                    } catch {
                        return (number, .failure(error))
                    }
                }
                // The writes are submitted in the order of the list. Their arrival has no event: the writer's queue is
                // read as it is, and no clock decides.
                try await until { writer.waitingCount > number }
            }
            held.release()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return writes.indices.compactMap { results[$0] }
    }

    @Test("Operations that arrive while the writer is busy are committed together, in order")
    func grouped() async throws {
        try await withWriter { writer, database in
            var running = TaskRecord.sample(1)
            running.change {
                $0.revision = 2
                $0.state = .running
            }
            let commits = CommitCounter()
            database.add(transactionObserver: commits, extent: .databaseLifetime)
            let results = try await together(
                [insert(.sample(1)), update(running, expecting: 1), update(running, expecting: 1)]
                    + (2..<50).map { insert(.sample($0)) } + [delete(.sample(2)), delete(.sample(2))],
                writer, database)
            #expect(
                results.map { try? $0.get() } == [true, true, false] + [Bool](repeating: true, count: 49) + [false])
            #expect(commits.count == 1)
            #expect(writer.counts.total == 48)
            #expect(writer.counts["github", .running] == 1)
        }
    }

    @Test("A commit that changes nothing does not make the log longer")
    func nothing() async throws {
        try await withWriter { writer, database in
            /// Returns the bytes of the log when the last batch is over, which the writer counts after its callers know.
            func logBytes() async -> Int {
                await withContinuation { (continuation: Continuation<Void>) in
                    database.asyncWriteWithoutTransaction { _ in continuation.resume() }
                }
                return writer.work.logBytes
            }
            let keyed = NewTask(.sample(1), idempotency: .sample("1"))
            #expect(try await writer.perform(.insert(keyed)).get() == .inserted(isBlocked: false))
            let bytes = await logBytes()
            #expect(bytes > 0)
            #expect(try await writer.perform(.insert(keyed)).get() == .replayed(.sample(1)))
            #expect(try await update(.sample(1), expecting: 7)(writer) == false)
            #expect(try await delete(.sample(2))(writer) == false)
            _ = try await writer.perform(.forget(keysExpiredAt: .earliest, deletionsBefore: .earliest, limit: 10))
            #expect(await logBytes() == bytes)
            #expect(try await insert(.sample(2))(writer))
            #expect(await logBytes() > bytes)
        }
    }

    @Test("A refused operation does not affect others in the same transaction")
    func refused() async throws {
        try await withWriter { writer, database in
            let results = try await together(
                [insert(.sample(1)), insert(.sample(1, session: "other")), insert(.sample(2))], writer, database)
            #expect(results.map { (try? $0.get()) ?? false } == [true, false, true])
            #expect(writer.counts.total == 2)
            #expect(writer.counts.sessions == ["github"])
        }
    }

    @Test("An operation that breaks the transaction does not affect the others in it")
    func broken() async throws {
        try await withWriter { writer, database in
            try await database.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER breaks BEFORE INSERT ON specifications
                        WHEN (SELECT session FROM tasks WHERE number = NEW.number) = 'broken'
                        BEGIN SELECT RAISE(ROLLBACK, 'broken'); END
                        """)
            }
            let results = try await together(
                [insert(.sample(1)), insert(.sample(2, session: "broken")), insert(.sample(3))], writer, database)
            #expect(results.map { (try? $0.get()) ?? false } == [true, false, true])
            guard case .failure(let error) = results[1] else {
                Issue.record("The broken insert succeeded")
                return
            }
            #expect(error.code == .unexpected)
            #expect(writer.counts.total == 2)
            let stored = try await database.unsafeRead { try Int.fetchOne($0, sql: "SELECT count(*) FROM tasks") }
            #expect(stored == 2)
        }
    }

    @Test("If one change of a cookie fails, its call stores none, and other calls are not affected")
    func cookiesAreAtomic() async throws {
        try await withWriter { writer, database in
            try await database.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER breaks BEFORE INSERT ON cookies WHEN NEW.value = x'21'
                        BEGIN SELECT RAISE(ABORT, 'broken'); END
                        """)
            }
            let results = try await together(
                [
                    cookies([.set(.sample("a")), .set(.sample("b"))]),
                    cookies(
                        [.remove(StoredCookie.sample("a").key), .set(.sample("c")), .set(.sample("d", value: "!"))]),
                    cookies([.set(.sample("e"))]),
                ], writer, database)
            #expect(results.map { (try? $0.get()) ?? false } == [true, false, true])
            let names = try await database.unsafeRead { try SessionReading($0).cookies("s").map(\.key.name) }
            #expect(names == ["a", "b", "e"])
        }
    }

    @Test("On a full disk writes are refused, and the store continues when there is free space")
    func diskFull() async throws {
        try await withWriter { writer, database in
            #expect(try await insert(.sample(1))(writer))
            try await database.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 8)")
            }
            var large = TaskRecord.sample(2)
            large.change { $0.specification.task = [UInt8](repeating: 0x20, count: 100_000) }
            let results = try await together([insert(large), insert(.sample(3))], writer, database)
            guard case .failure(let error) = results[0] else {
                Issue.record("100 kB fit into 8 pages")
                return
            }
            #expect(error.code == .diskFull)
            #expect((try? results[1].get()) == true)
            #expect(writer.counts.total == 2)
            try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            #expect(try await insert(large)(writer))
            #expect(writer.counts.total == 3)
        }
    }

    @Test("A failed commit fails all of its operations")
    func commitFails() async throws {
        try await withWriter { writer, database in
            let refusal = CommitRefusal()
            database.add(transactionObserver: refusal, extent: .databaseLifetime)
            let results = try await together([insert(.sample(1)), insert(.sample(2))], writer, database)
            #expect(results.allSatisfy { (try? $0.get()) == nil })
            #expect(writer.counts.total == 0)
            database.remove(transactionObserver: refusal)
            let isInserted = try await insert(.sample(1))(writer)
            #expect(isInserted)
        }
    }

    @Test("The log does not grow without limit during continuous writes")
    func logIsBounded() async throws {
        let store = try folder.open()
        try await store.insert(.sample(0))
        let path = folder.path
        let before = try restarts(ofLog: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...8 {
                group.addTask {
                    // Until the log has restarted between the writes: a log that only grows does not let them end.
                    var number = 0
                    while try number < 400 || restarts(ofLog: path) == before {
                        try Task.checkCancellation()
                        var record = TaskRecord.sample(writer * 1_000_000 + number)
                        record.change { $0.specification.request = [UInt8](repeating: 0x20, count: 8000) }
                        try await store.insert(record)
                        number += 1
                    }
                }
            }
            try await group.waitForAll()
        }
        try await store.checkWritable()
        let moved = try #require(fileSize(folder.path))
        #expect(moved > 1 << 20)
        await store.close()
        #expect(!folder.exists("-wal"))
    }
}
