import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import Glibc
import Testing

@testable import ErrandTaskStoreSQLite

@Suite(
    "A store on a full disk", .enabled(if: SmallDisk.isPossible, "requires permission to mount"),
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
        let disk = try await SmallDisk(megabytes: 96)
        let store = try SQLiteTaskStore(path: disk.path + "/tasks.db", durability: .normal)
        let ids = try await fill(store)
        #expect(ids.count > 100)
        // No space is left, not even for small writes.
        try disk.fillUp()
        var removed = 0
        for id in ids {
            #expect(try await store.delete(id))
            removed += 1
        }
        #expect(removed == ids.count)
        #expect(try await store.counts().total == 0)
        #expect(try await !store.forget(keysExpiredAt: .latest, deletionsBefore: .earliest, limit: 100))
        // The deletions have freed space inside the database.
        try disk.empty()
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
        let disk = try await SmallDisk(megabytes: 96)
        let path = disk.path + "/tasks.db"
        let before = try SQLiteTaskStore(path: path, durability: .normal)
        for number in 0..<50 { try await before.insert(.sample(number)) }
        await before.close()
        try disk.fillUp()
        let store = try SQLiteTaskStore(path: path, durability: .normal)
        #expect(try await store.task(.sample(7)) == .sample(7))
        let error = await #expect(throws: TaskStoreError.self) { try await store.insert(.sample(100)) }
        #expect(error?.code == .diskFull)
        for number in 0..<50 { #expect(try await store.delete(.sample(number))) }
        await store.close()
        await disk.unmount()
    }
}

/// A file system of a few megabytes in memory.
struct SmallDisk {
    let path: String

    static var isPossible: Bool { geteuid() == 0 && access("/bin/mount", X_OK) == 0 && Self.canMount }

    private static let canMount: Bool = {
        let path = FileManager.default.temporaryDirectory.path + "/errand-mount-\(UUID().uuidString)"
        guard (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil else {
            return false
        }
        defer { _ = rmdir(path) }
        guard run("/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "none", path]) else { return false }
        return run("/bin/umount", [path])
    }()

    init(megabytes: Int) async throws {
        path = FileManager.default.temporaryDirectory.path + "/errand-disk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "none", path]))
    }

    func unmount() async {
        _ = Self.run("/bin/umount", ["-l", path])
        _ = rmdir(path)
    }

    /// Fills the disk to the last byte.
    func fillUp() throws {
        let descriptor = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { _ = close(descriptor) }
        var chunk = [UInt8](repeating: 1, count: 1 << 16)
        while !chunk.isEmpty {
            if write(descriptor, chunk, chunk.count) < chunk.count { chunk.removeLast((chunk.count + 1) / 2) }
        }
    }

    /// Frees the space.
    func empty() throws {
        try FileManager.default.removeItem(atPath: path + "/filler")
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        var child = pid_t()
        let texts: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        guard posix_spawn(&child, program, nil, nil, texts, environ) == 0 else { return false }
        var status: Int32 = 0
        guard waitpid(child, &status, 0) == child else { return false }
        return status == 0
    }
}
