import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("StoreCopy")
struct StoreCopyTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test("A copy of an open store is one file with all that was committed, and the same schema")
    func copy() async throws {
        let store = try folder.open()
        let record = TaskRecord.sample(1)
        try await store.insert(record)
        let copy = StoreCopy(path: "\(folder.path).copy")
        try copy.write(from: folder.path)
        #expect(!FileManager.default.fileExists(atPath: "\(copy.path)-wal"))
        let facts = try copy.examine(isThorough: true)
        #expect(facts.tasks == 1)
        #expect(facts.pending.isEmpty)
        #expect(try StoreCopy(path: folder.path).examine(isThorough: false) == facts)
        // The file exists, and is not overwritten.
        #expect(throws: TaskStoreError.self) { try copy.write(from: folder.path) }
        await store.close()
        let reopened = try SQLiteTaskStore(path: copy.path, durability: .normal)
        #expect(try await reopened.task(record.id)?.id == record.id)
        await reopened.close()
    }

    @Test("The migrations of an older store that were not applied are told, and nothing is changed")
    func pending() throws {
        try folder.plain { try $0.execute(sql: StoreVersion1.schema) }
        let facts = try StoreCopy(path: folder.path).examine(isThorough: true)
        #expect(facts.schema == "v1")
        #expect(facts.pending.first == "v2")
        #expect(facts.pending == Array(StoreSchema.migrator.migrations.dropFirst()))
        #expect(try StoreCopy(path: folder.path).examine(isThorough: true) == facts)
    }

    @Test("A store of a newer version, another database and a damaged file are refused")
    func refused() async throws {
        try await folder.open().close()
        try folder.plain { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999')") }
        #expect(code { try StoreCopy(path: folder.path).examine(isThorough: false) } == .tooNew)
        let other = try StoreFolder()
        try other.plain { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(code { try StoreCopy(path: other.path).examine(isThorough: false) } == .foreign)
        let text = try StoreFolder()
        try Data(repeating: 7, count: 8192).write(to: URL(filePath: text.path))
        #expect(code { try StoreCopy(path: text.path).examine(isThorough: false) } == .foreign)
    }

    @Test("A task with a damaged identifier does not keep the files of the others from being found")
    func damagedIdentifier() async throws {
        let store = try folder.open()
        for number in 1...2 {
            var record = TaskRecord.sample(number, state: .succeeded)
            record.change { $0.result = TaskResult.samples[1] }
            try await store.insert(record)
        }
        await store.close()
        try folder.plain { try $0.execute(sql: "UPDATE tasks SET id = x'00' WHERE number = 1") }
        var found: [TaskID] = []
        try StoreCopy(path: folder.path).forEachFile { found.append($0.task) }
        #expect(found == [.sample(2)])
    }

    private func code<Value>(_ work: () throws -> Value) -> TaskStoreError.Code? {
        do {
            _ = try work()
            return nil
        } catch {
            return (error as? TaskStoreError)?.code
        }
    }
}
