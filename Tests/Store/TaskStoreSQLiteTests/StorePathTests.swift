import ErrandSupport
import ErrandTaskStore
import Glibc
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("StorePath")
struct StorePathTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("real")
        try folder.makeFolder("links")
    }

    @Test(
        "A store that is opened through a symbolic link has its files beside the real file, also the lock",
        arguments: [false, true])
    func link(exists: Bool) async throws {
        let real = folder["real/tasks.db"]
        let link = folder["links/tasks.db"]
        if exists { try await SQLiteTaskStore(path: real, durability: .normal).close() }
        try #require(symlink("../real/tasks.db", link) == 0)
        let store = try SQLiteTaskStore(path: link, durability: .normal)
        try await store.insert(.sample(1))
        let other = #expect(throws: TaskStoreError.self) { try SQLiteTaskStore(path: real, durability: .normal) }
        #expect(other?.code == .locked)
        for path in [real, link] {
            let lock = #expect(throws: TaskStoreError.self) { _ = try StoreCopy(path: path).lock() }
            #expect(lock?.code == .locked)
        }
        #expect(try folder.files(below: "links") == ["tasks.db"])
        let files = try folder.files(below: "real")
        #expect(files == ["", "-shm", "-wal", ".ballast", ".lock"].map { "tasks.db\($0)" })
        await store.close()
        let again = try SQLiteTaskStore(path: real, durability: .normal)
        #expect(try await again.task(.sample(1)) != nil)
        await again.close()
    }

    @Test("A path has no symbolic links afterwards, as far as it exists")
    func resolved() throws {
        try #require(symlink("real", folder["folder"]) == 0)
        #expect(StorePath.resolved(folder["folder/tasks.db"]) == folder["real/tasks.db"])
        #expect(StorePath.resolved(folder["none/tasks.db"]) == folder["none/tasks.db"])
        #expect(StorePath.resolved("/none") == "/none")
        // A link to a link to a file that does not exist.
        try #require(symlink("../folder/tasks.db", folder["links/second"]) == 0)
        try #require(symlink(folder["links/second"], folder["first"]) == 0)
        #expect(StorePath.resolved(folder["first"]) == folder["real/tasks.db"])
        // A link to itself leads nowhere.
        try #require(symlink("loop", folder["loop"]) == 0)
        #expect(StorePath.resolved(folder["loop"]) == folder["loop"])
    }
}
