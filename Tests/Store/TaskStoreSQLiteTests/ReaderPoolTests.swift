import ErrandSupport
import ErrandTaskStore
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("ReaderPool", .timeLimit(.hang))
struct ReaderPoolTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    /// A statement that runs for hours.
    static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) SELECT max(i) FROM n
        """

    private func withPool(
        _ count: Int = 1, timeout: Duration = .seconds(86_400), maxWaiting: Int = 4,
        _ body: (ReaderPool) async throws -> Void
    ) async throws {
        let connections = try (0..<count).map { _ in try DatabaseQueue(path: folder.path) }
        let pool = ReaderPool(connections, limits: .init(timeout: timeout, maxWaiting: maxWaiting))
        try await body(pool)
        await pool.close()
        for connection in connections { try connection.close() }
    }

    /// Starts a read that does not end by itself; `begins` is sent when it has begun, or has ended before.
    private func endless(_ pool: ReaderPool, _ begins: Signal<Void>) -> Task<TaskStoreError.Code?, Never> {
        Task {
            do throws(TaskStoreError) {
                _ = try await pool.read { db in
                    begins.send(())
                    return try Int.fetchOne(db, sql: Self.endless)
                }
                return nil
            } catch {
                begins.send(())
                return error.code
            }
        }
    }

    private func one(_ pool: ReaderPool) async throws -> Int? {
        try await pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
    }

    private func expectAnswer(_ pool: ReaderPool) async throws {
        let answer = try await one(pool)
        #expect(answer == 1)
    }

    @Test("A read ends when its task is canceled, and the connection stays usable")
    func canceled() async throws {
        try await withPool { pool in
            for _ in 0..<20 {
                let begins = Signal<Void>()
                let read = endless(pool, begins)
                await begins.wait()
                read.cancel()
                #expect(await read.value == .canceled)
                try await expectAnswer(pool)
            }
        }
    }

    @Test("A read whose task is canceled at any moment ends without affecting others")
    func canceledAnywhere() async throws {
        try await withPool(2, maxWaiting: 1000) { pool in
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let read = Task { () -> TaskStoreError.Code? in
                            do throws(TaskStoreError) {
                                _ = try await pool.read { try Int.fetchOne($0, sql: Self.endless) }
                                return nil
                            } catch {
                                return error.code
                            }
                        }
                        for _ in 0..<number % 40 { await Task.yield() }
                        read.cancel()
                        return await read.value == .canceled
                    }
                    group.addTask { (try? await self.one(pool)) == 1 }
                }
                for await isAsExpected in group { #expect(isAsExpected) }
            }
        }
    }

    @Test("A read that takes or waits too long ends")
    func timeouts() async throws {
        try await withPool(timeout: .milliseconds(200)) { pool in
            let begins = Signal<Void>()
            let first = endless(pool, begins)
            await begins.wait()
            let second = endless(pool, Signal<Void>())
            #expect(await first.value == .timedOut)
            #expect(await second.value == .timedOut)
            // A short read may take too long as well, on a busy machine: the connection must be usable in the end.
            var answer: Int?
            while answer == nil {
                do throws(TaskStoreError) {
                    answer = try await pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
                } catch {
                    try #require(error.code == .timedOut)
                }
            }
            #expect(answer == 1)
        }
    }

    @Test("Reads beyond the limit of the queue are refused immediately")
    func line() async throws {
        try await withPool(maxWaiting: 3) { pool in
            let begins = Signal<Void>()
            let reads = [endless(pool, begins)]
            await begins.wait()
            let waiting = (0..<4).map { _ in endless(pool, Signal<Void>()) }
            // One of the four reads exceeds the limit.
            let refused = await withTaskGroup(of: TaskStoreError.Code?.self) { group in
                for read in waiting { group.addTask { await read.value } }
                let first = await group.next() ?? nil
                for read in reads + waiting { read.cancel() }
                return first
            }
            #expect(refused == .tooManyReads)
            try await expectAnswer(pool)
        }
    }

    @Test("A read of a begun request is not refused, and its time limit begins with it")
    func begun() async throws {
        try await withPool(timeout: .milliseconds(300), maxWaiting: 0) { pool in
            let begins = Signal<Void>()
            let first = endless(pool, begins)
            await begins.wait()
            let waits = (0..<4).map { number in
                Task { try await pool.read(isBegun: true, { _ in number }, then: { "\($0)" }) }
            }
            #expect(await endless(pool, Signal<Void>()).value == .tooManyReads)
            #expect(await first.value == .timedOut)
            var answers: [String] = []
            for read in waits { answers.append(try await read.value) }
            #expect(answers == ["0", "1", "2", "3"])
        }
    }

    @Test("What a read has found is converted before the next read of the connection")
    func converted() async throws {
        try await withPool { pool in
            let events = EventLog<String>()
            let begins = Signal<Void>()
            let first = endless(pool, begins)
            await begins.wait()
            let reads = (0..<3).map { number in
                Task {
                    try await pool.read(
                        isBegun: true, { _ in events.append("reads") }, then: { events.append("converts") })
                }
            }
            first.cancel()
            for read in reads { try await read.value }
            #expect(events.events == ["reads", "converts", "reads", "converts", "reads", "converts"])
        }
    }

    @Test("Reads that arrive during a pause run after it")
    func hold() async throws {
        try await withPool(2) { pool in
            let begins = Signal<Void>()
            let read = endless(pool, begins)
            await begins.wait()
            let quiet = Signal<Void>()
            pool.quiesce { quiet.send(()) }
            async let waits = one(pool)
            read.cancel()
            await quiet.wait()
            pool.release()
            let answer = try await waits
            #expect(answer == 1)
        }
    }
}

@Suite("Reads of an overloaded store", .timeLimit(.hang))
struct CrowdedStoreTests {
    @Test("Lists that take all their connections, and wait in line, delay neither dispatch nor reads by identifier")
    func lanes() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for result in await store.insert((0..<10).map { NewTask(.sample($0)) }) { _ = try result.get() }
        let begun = EventLog<Void>()
        // None of them ends by itself: a read that waited for one would never end.
        let lists = (0..<8).map { _ in
            Task { () -> TaskStoreError.Code? in
                do throws(TaskStoreError) {
                    _ = try await store.lists.read { db in
                        begun.append()
                        return try Int.fetchOne(db, sql: ReaderPoolTests.endless)
                    }
                    return nil
                } catch {
                    return error.code
                }
            }
        }
        _ = await begun.first(SQLiteTaskStore.listReaders)
        var query = TaskQuery()
        query.sessions = ["github"]
        for _ in 0..<10 {
            #expect(try await store.queued(session: "github", after: nil, limit: 10).count == 10)
            #expect(try await store.identifiers(query, for: .dispatcher).count == 10)
            #expect(try await store.task(.sample(1)) != nil)
        }
        for list in lists { list.cancel() }
        for list in lists { #expect(await list.value == .canceled) }
        #expect(try await store.tasks(query).tasks.count == 10)
        await store.close()
    }

    @Test("Pages of events are read while all connections for single records are in use")
    func eventsBesideRecords() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.insert(.sample(1))
        let begun = EventLog<Void>()
        let held = HeldQueue()
        let reads = (0..<SQLiteTaskStore.recordReaders).map { _ in
            Task { () -> Bool in
                do throws(TaskStoreError) {
                    return try await store.records.read { _ in
                        begun.append()
                        held.wait()
                        return true
                    }
                } catch {
                    return false
                }
            }
        }
        _ = await begun.first(SQLiteTaskStore.recordReaders)
        #expect(try await store.events(after: 0, task: nil, limit: 10).count == 1)
        for _ in reads { held.release() }
        for read in reads { #expect(await read.value) }
        await store.close()
    }
}
