import ErrandSupport
import ErrandTaskStore
import ErrandTime
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("StoreIdentity")
struct StoreIdentityTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    /// Opens and closes the store.
    private func identity(of folder: StoreFolder) async throws -> StoreIdentity {
        let store = try folder.open(openedAt: .now())
        let identity = store.identity
        await store.close()
        return identity
    }

    @Test("A store has a random name, which it keeps; its copy has the same")
    func name() async throws {
        let first = try await identity(of: folder)
        #expect(first.name.utf8.count == 32)
        #expect(try await identity(of: folder) == first)
        #expect(try await identity(of: StoreFolder()).name != first.name)
        let copy = StoreCopy(path: "\(folder.path).copy")
        try copy.write(from: folder.path)
        #expect(try copy.examine(isThorough: true).identity == first)
    }

    @Test("A new store has had no tasks, also after several starts; one with tasks has, also when they are gone")
    func tasks() async throws {
        #expect(try await !identity(of: folder).hasHadTasks)
        #expect(try await !identity(of: folder).hasHadTasks)
        let store = try folder.open(openedAt: .now())
        let record = TaskRecord.sample(1)
        try await store.insert(record)
        await store.close()
        #expect(try await identity(of: folder).hasHadTasks)

        let again = try folder.open(openedAt: .now())
        _ = try await again.delete(record.id, at: .now(), because: .client)
        await again.close()
        #expect(try await identity(of: folder).hasHadTasks, "the deletion is still known")
        let last = try folder.open(openedAt: .now())
        let future = Timestamp(milliseconds: Timestamp.now().milliseconds + 1_000_000)
        _ = try await last.forget(keysExpiredAt: future, deletionsBefore: future, limit: 100)
        await last.close()
        #expect(try folder.plain { try Int.fetchOne($0, sql: "SELECT count(*) FROM deletions") } == 0)
        #expect(try await identity(of: folder).hasHadTasks, "the number of the deletion is still known")
    }

    @Test("A store of an earlier version gets a name, and has had its tasks")
    func migrated() async throws {
        try folder.plain { db in
            try db.execute(sql: StoreVersion1.schema)
            try db.execute(sql: StoreVersion1.tasks)
        }
        #expect(try StoreCopy(path: folder.path).examine(isThorough: false).identity == nil)
        #expect(try await identity(of: folder).hasHadTasks)
    }
}
