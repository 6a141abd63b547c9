import Glibc
import TaskStore

/// The right of one process to a store: a locked file beside it.
///
/// The lock belongs to the open file (`flock(2)`), so that it is held against a second store in the same process too,
/// and ends with the process however that ends. The file stays; it holds the number of the last process.
struct StoreLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Takes the lock of the database at `path`, without waiting.
    ///
    /// - Throws: ``TaskStoreError/Code/locked`` with the number of the process that has it.
    init(database path: String) throws(TaskStoreError) {
        let path = "\(path).lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TaskStoreError(system: errno, "open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            defer { _ = close(descriptor) }
            guard number == EWOULDBLOCK else { throw TaskStoreError(system: number, "flock \(path)") }
            let holder = Self.holder(descriptor).map { " (process \($0))" } ?? ""
            throw TaskStoreError(.locked, "Another gateway\(holder) has the task store open")
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
            let number = errno
            _ = close(descriptor)
            throw TaskStoreError(system: number, "write \(path)")
        }
        self.descriptor = descriptor
    }

    deinit {
        // Not by closing alone: a program that is being started has copies of all descriptors until it runs.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
