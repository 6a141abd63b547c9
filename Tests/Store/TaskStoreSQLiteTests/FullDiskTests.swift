import ErrandSupport
import ErrandTaskStore
import ErrandTime
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite(
    "A store on a full disk", .enabled("requires permission to mount") { await SmallDisk.isMountable },
    .timeLimit(.hang))
struct FullDiskTests {
    /// Adds finished tasks, each with an idempotency key that is its number, until the disk is full.
    private func fill(_ store: SQLiteTaskStore) async throws -> [TaskID] {
        var ids: [TaskID] = []
        var record = TaskRecord.sample(0)
        for number in 0..<10_000 {
            record = .sample(number)
            record.change {
                $0.specification.task = [UInt8](repeating: 0x20, count: 50_000)
                $0.state = .succeeded
            }
            do throws(TaskStoreError) {
                _ = try await store.insert(NewTask(record, idempotency: .sample("\(number)")))
                ids.append(record.id)
            } catch {
                #expect(error.code == .diskFull)
                return ids
            }
        }
        Issue.record("The disk did not fill up")
        return ids
    }

    /// Returns another connection whose read transaction lasts, so that the log cannot restart.
    private static func reader(of path: String) async throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try await reader.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM tasks")
        }
        return reader
    }

    @Test(
        "Tasks can be removed but not added, and with free space everything works again",
        arguments: [DeletionReason.client, .retention])
    func removal(because reason: DeletionReason) async throws {
        let disk = try await SmallDisk(mebibytes: 96)
        let store = try SQLiteTaskStore(path: disk.path + "/tasks.db", durability: .normal)
        let ids = try await fill(store)
        #expect(ids.count > 100)
        // No space is left, not even for small writes.
        try disk.fill()
        // A used key needs none.
        #expect(try await store.insert(NewTask(.sample(20_001), idempotency: .sample("0"))) == .replayed(ids[0]))
        let other = NewTask(.sample(20_001), idempotency: .sample("0", payload: 2))
        #expect(try await store.insert(other) == .keyReused)
        let unused = await #expect(throws: TaskStoreError.self) {
            try await store.insert(NewTask(.sample(20_001), idempotency: .sample("unused")))
        }
        #expect(unused?.code == .diskFull)
        var removed = 0
        for id in ids {
            #expect(try await store.delete(id, because: reason))
            removed += 1
        }
        #expect(removed == ids.count)
        #expect(try await store.counts().total == 0)
        // Retention leaves the keys, which the store knows without room for anything else.
        for (number, id) in ids.enumerated() {
            let answer = try await store.replay(of: .sample("\(number)"), at: id.timestamp)
            let left: TaskID? = if case .replayedRemoved(let task) = answer { task.id } else { nil }
            #expect(left == (reason == .retention ? id : nil))
        }
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            hasMore = try await store.forget(keysExpiredAt: .latest, deletionsBefore: .earliest, limit: 100)
        }
        #expect(try await store.replay(of: .sample("0"), at: .earliest) == nil)
        // The deletions have freed space inside the database.
        disk.makeRoom()
        // The store looks once a second whether there is room again.
        var isAdded = false
        while !isAdded {
            try Task.checkCancellation()
            do throws(TaskStoreError) {
                try await store.insert(.sample(20_000))
                isAdded = true
            } catch {
                #expect(error.code == .diskFull)
            }
        }
        await store.close()
        await disk.unmount()
    }

    @Test(
        "Unfinished tasks can be canceled and removed, also after a reader that made the log long",
        arguments: [false, true])
    func unfinished(isLogLong: Bool) async throws {
        let disk = try await SmallDisk(mebibytes: 512)
        let path = disk.path + "/tasks.db"
        let store = try SQLiteTaskStore(path: path, durability: .normal)
        var count = 0
        func insert(bytes: Int = 100_000) async throws(TaskStoreError) {
            var record = TaskRecord.sample(count, state: .suspended)
            record.change { $0.specification.task = [UInt8](repeating: 0x20, count: bytes) }
            try await store.insert(record)
            count += 1
        }
        if isLogLong {
            let reader = try await Self.reader(of: path)
            while try #require(fileSize(path + "-wal")) < 128 << 20 {
                try Task.checkCancellation()
                try await insert(bytes: 500_000)
            }
            try await reader.writeWithoutTransaction { try $0.commit() }
            try reader.close()
            // A timer repeats the checkpoint: there is no event to wait for but the size of the file.
            try await until { try #require(fileSize(path)) >= 64 << 20 }
            // The file of the log gives its room back.
            while try #require(fileSize(path + "-wal")) > 80 << 20 {
                try Task.checkCancellation()
                try await insert()
            }
        }
        for _ in 0..<400 { try await insert() }
        try disk.fill()
        let before = count
        var isFull = false
        while !isFull {
            try Task.checkCancellation()
            do throws(TaskStoreError) {
                try await insert()
            } catch {
                #expect(error.code == .diskFull)
                isFull = true
            }
        }
        // The content of the log has to fit into the reserved space.
        #expect((count - before) * 100_000 < Ballast.maxBytes)
        for number in 0..<30 {
            var record = try #require(try await store.task(.sample(number)))
            let revision = record.revision
            record.change {
                $0.revision += 1
                $0.state = .canceled
            }
            #expect(try await store.update(TaskUpdate(record, expecting: revision)) == .stored(nil), "\(number)")
            #expect(try await store.delete(record.id), "\(number)")
        }
        // Deletions make room inside the database, although the disk stays full.
        for number in 30..<count { #expect(try await store.delete(.sample(number)), "\(number)") }
        while isFull {
            try Task.checkCancellation()
            do throws(TaskStoreError) {
                try await insert()
                isFull = false
            } catch {
                #expect(error.code == .diskFull)
            }
        }
        await store.close()
        await disk.unmount()
    }

    @Test("Deletions go on when it is the index of a long log that finds no space")
    func logIndex() async throws {
        let disk = try await SmallDisk(mebibytes: 128)
        let path = disk.path + "/tasks.db"
        let before = try SQLiteTaskStore(path: path, durability: .normal)
        let tasks = (0..<3000).map { NewTask(.sample($0)) }
        for result in await before.insert(tasks) { _ = try result.get() }
        await before.close()
        let store = try SQLiteTaskStore(path: path, durability: .normal)
        // The log cannot restart while its reader lasts, and the frames of the deletions have space in its file.
        #expect(lengthen(path + "-wal", to: 40 << 20))
        let reader = try await Self.reader(of: path)
        try disk.fill()
        let short = try #require(fileSize(path + "-shm"))
        #expect(fileSize(path + ".ballast") == Ballast.maxBytes)
        var number = 0
        while try #require(fileSize(path + "-shm")) == short, number < tasks.count {
            #expect(try await store.delete(.sample(number)), "\(number)")
            number += 1
        }
        #expect(number < tasks.count)
        #expect(fileSize(path + ".ballast") == nil)
        try await reader.writeWithoutTransaction { try $0.commit() }
        try reader.close()
        await store.close()
        await disk.unmount()
    }

    @Test("With less free space than the reserve, the store is not writable as long as it refuses tasks")
    func lessThanReserve() async throws {
        let disk = try await SmallDisk(mebibytes: 128)
        try disk.fill(leaving: Ballast.maxBytes / 2)
        let store = try SQLiteTaskStore(path: disk.path + "/tasks.db", durability: .normal)
        let refusal = await #expect(throws: TaskStoreError.self) { try await store.insert(.sample(1)) }
        #expect(refusal?.code == .diskFull)
        let error = await #expect(throws: TaskStoreError.self) { try await store.checkWritable() }
        #expect(error == refusal)
        // A change adds no task.
        try await store.update(cookies: [.set(.sample("a"))], session: "s")
        disk.makeRoom()
        // The store looks once a second whether there is room again.
        var isWritable = false
        while !isWritable {
            try Task.checkCancellation()
            do throws(TaskStoreError) {
                try await store.checkWritable()
                isWritable = true
            } catch {
                #expect(error.code == .diskFull)
            }
        }
        try await store.insert(.sample(1))
        await store.close()
        await disk.unmount()
    }

    @Test("After a task found no space, the store is not writable, although smaller changes are possible")
    func afterRefusal() async throws {
        let disk = try await SmallDisk(mebibytes: 96)
        let store = try SQLiteTaskStore(path: disk.path + "/tasks.db", durability: .normal)
        let keyed = NewTask(.sample(0), idempotency: .sample("0"))
        #expect(try await store.insert(keyed) == .inserted(isBlocked: false))
        try disk.fill()
        var number = 1
        var isFull = false
        while !isFull {
            try Task.checkCancellation()
            do throws(TaskStoreError) {
                try await store.insert(.sample(number))
                number += 1
            } catch {
                #expect(error.code == .diskFull)
                isFull = true
            }
        }
        // A repeated creation adds nothing, and so does not show that there is space.
        #expect(try await store.insert(keyed) == .replayed(.sample(0)))
        let error = await #expect(throws: TaskStoreError.self) { try await store.checkWritable() }
        #expect(error?.code == .diskFull)
        disk.makeRoom()
        try await store.insert(.sample(number))
        try await store.checkWritable()
        await store.close()
        await disk.unmount()
    }

    @Test("A schedule can be suspended on a full disk, but none is added")
    func schedules() async throws {
        let disk = try await SmallDisk(mebibytes: 96)
        let store = try SQLiteTaskStore(path: disk.path + "/tasks.db", durability: .normal)
        var schedule = ScheduleRecord.sample("s")
        #expect(try await store.put(schedule, expecting: nil, inserting: nil))
        try disk.fill()
        let error = await #expect(throws: TaskStoreError.self) { try await store.insert(.sample(100)) }
        #expect(error?.code == .diskFull)
        let revision = schedule.revision
        schedule.isSuspended = true
        schedule.revision += 1
        #expect(try await store.put(schedule, expecting: revision, inserting: nil))
        let added = await #expect(throws: TaskStoreError.self) {
            try await store.put(.sample("t"), expecting: nil, inserting: nil)
        }
        #expect(added?.code == .diskFull)
        await store.close()
        await disk.unmount()
    }

    @Test("The store can be opened, read and emptied, but accepts no tasks")
    func opening() async throws {
        let disk = try await SmallDisk(mebibytes: 96)
        let path = disk.path + "/tasks.db"
        let before = try SQLiteTaskStore(path: path, durability: .normal)
        for number in 0..<50 { try await before.insert(.sample(number)) }
        await before.close()
        try disk.fill()
        let store = try SQLiteTaskStore(path: path, durability: .normal)
        #expect(try await store.task(.sample(7)) == .sample(7))
        let error = await #expect(throws: TaskStoreError.self) { try await store.insert(.sample(100)) }
        #expect(error?.code == .diskFull)
        for number in 0..<50 { #expect(try await store.delete(.sample(number))) }
        await store.close()
        await disk.unmount()
    }
}
