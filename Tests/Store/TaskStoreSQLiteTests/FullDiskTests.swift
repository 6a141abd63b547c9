import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskStoreSQLite

@Suite(
    "A store on a full disk", .enabled("requires permission to mount") { await SmallDisk.isMountable },
    .timeLimit(.hang))
struct FullDiskTests {
    private func fill(_ store: SQLiteTaskStore) async throws -> [TaskID] {
        var ids: [TaskID] = []
        var record = TaskRecord.sample(0)
        for number in 0..<10_000 {
            record = .sample(number)
            record.specification.task = [UInt8](repeating: 0x20, count: 50_000)
            record.state = .succeeded
            do throws(TaskStoreError) {
                try await store.insert(record)
                ids.append(record.id)
            } catch {
                #expect(error.code == .diskFull)
                return ids
            }
        }
        Issue.record("The disk did not fill up")
        return ids
    }

    @Test("Tasks can be removed but not added, and with free space everything works again")
    func removal() async throws {
        let disk = try await SmallDisk(mebibytes: 96)
        let store = try SQLiteTaskStore(path: disk.path + "/tasks.db", durability: .normal)
        let ids = try await fill(store)
        #expect(ids.count > 100)
        // No space is left, not even for small writes.
        try disk.fill()
        var removed = 0
        for id in ids {
            #expect(try await store.delete(id))
            removed += 1
        }
        #expect(removed == ids.count)
        #expect(try await store.counts().total == 0)
        #expect(try await !store.forget(keysExpiredAt: .latest, deletionsBefore: .earliest, limit: 100))
        // The deletions have freed space inside the database.
        disk.makeRoom()
        // The store looks once a second whether there is room again.
        var isAdded = false
        while !isAdded {
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
