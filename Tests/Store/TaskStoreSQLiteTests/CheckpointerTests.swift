import ErrandSupport
import ErrandTaskStore
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("Checkpointer")
struct CheckpointerTests {
    @Test("No write waits for the snapshot of another connection; once it is gone, the log restarts")
    func reader() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.insert(.sample(0))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.path, configuration: configuration)
        try await other.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM tasks")
        }
        var longest = Duration.zero
        var document = TaskRecord.sample(1)
        document.specification.request = [UInt8](repeating: 0x20, count: 8000)
        for number in 1...20_000 {
            let start = ContinuousClock.now
            var record = TaskRecord.sample(number)
            record.specification.request = document.specification.request
            try await store.insert(record)
            longest = max(longest, start.duration(to: .now))
        }
        // Earlier versions blocked for 10 s at a time.
        #expect(longest < .seconds(4), "\(longest)")
        let grown = try #require(fileSize(folder.path + "-wal"))
        #expect(grown > 64 << 20)
        try await other.writeWithoutTransaction { try $0.commit() }
        try other.close()
        // The file keeps its length, so the moved frames show that the log restarted.
        var number = 20_000
        while try #require(fileSize(folder.path)) < 100 << 20 {
            number += 1
            try await store.insert(.sample(number))
        }
        await store.close()
        #expect(!folder.exists("-wal"))
    }

    @Test("Continuous reads of lists do not let the log grow, and are still answered", .timeLimit(.hang))
    func lists() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for start in stride(from: 0, to: 20_000, by: 1000) {
            _ = await store.insert((start..<start + 1000).map { NewTask(.sample($0, labels: ["a": "\($0 % 2)"])) })
        }
        var query = TaskQuery()
        query.kind = .callback
        query.labels = ["a": "1"]
        let walks = query
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var lists = 0
                    while !Task.isCancelled {
                        do {
                            _ = try await store.tasks(walks)
                            lists += 1
                        } catch let error as TaskStoreError where error.code == .canceled {
                            break
                        }
                    }
                    return lists
                }
            }
            for number in 20_000..<34_000 {
                var record = TaskRecord.sample(number)
                record.specification.request = [UInt8](repeating: 0x20, count: 16_000)
                try await store.insert(record)
            }
            group.cancelAll()
            for try await lists in group { #expect(lists > 0) }
        }
        // The test wrote 300 MiB.
        let size = try #require(fileSize(folder.path + "-wal"))
        #expect(size < 200 << 20, "\(size)")
        await store.close()
    }
}
