import ErrandFiles
import ErrandTaskStore
import Glibc

/// The exclusive right of one process to a store: a locked file next to it.
///
/// The lock belongs to the open file (`flock(2)`). So it also excludes a second store in the same process, and ends
/// with the process in every case. The file remains; it contains the number of the last process.
struct StoreLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    /// Acquires the lock of the database at `path`, without waiting.
    ///
    /// - Throws: ``TaskStoreError/Code/locked`` with the number of the process that has the lock.
    init(database path: String) throws(TaskStoreError) {
        let path = "\(path).lock"
        let file = try Self.file(path)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            let failure = SystemFailure("flock \(path)")
            guard failure.number == EWOULDBLOCK else { throw TaskStoreError(failure) }
            let holder = Self.holder(file.number).map { " (process \($0))" } ?? ""
            throw TaskStoreError(.locked, "Another gateway\(holder) has the task store open")
        }
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(file.number, 0) != 0 || pwrite(file.number, text, text.count, 0) != text.count {
            let failure = SystemFailure("write \(path)")
            // The lock works on a full disk too; only the number of its owner is missing.
            guard failure.number == ENOSPC || failure.number == EDQUOT else { throw TaskStoreError(failure) }
        }
        self.file = file
    }

    deinit {
        // Closing alone is not enough: a child process that is being started has copies of all descriptors until it
        // executes its program.
        _ = flock(file.number, LOCK_UN)
    }

    private static func file(_ path: String) throws(TaskStoreError) -> FileDescriptor {
        do throws(SystemFailure) {
            return try FileDescriptor(path, O_RDWR | O_CREAT)
        } catch {
            throw TaskStoreError(error)
        }
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
