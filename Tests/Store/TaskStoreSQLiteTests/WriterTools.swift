import Dispatch
import ErrandLocking
import ErrandTaskStore
import GRDB
import Glibc

@testable import ErrandTaskStoreSQLite

/// Blocks a queue's thread until a test releases it.
final class HeldQueue: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
        semaphore.wait()
    }

    func release() {
        semaphore.signal()
    }
}

/// A number that many threads increment.
final class Tally: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    /// Adds one, and returns the new number.
    @discardableResult
    func add() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

/// Counts the commits of a connection.
final class CommitCounter: TransactionObserver, Sendable {
    private let commits = Tally()

    var count: Int { commits.count }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits.add() }
    func databaseDidRollback(_ db: Database) {}
}

/// Refuses every commit of a connection.
final class CommitRefusal: TransactionObserver, Sendable {
    struct Refused: Error {}

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw Refused() }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

/// Returns the size of a file in bytes; `nil` if it is missing.
func fileSize(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
}

/// Makes a file longer, with the space for it on the disk.
///
/// - Returns: False if that fails.
func lengthen(_ path: String, to bytes: Int) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = close(descriptor) }
    return posix_fallocate(descriptor, 0, off_t(bytes)) == 0
}

/// A store has no write-ahead log.
struct NoLog: Error {}

/// Returns a number that grows by one with each restart of a store's write-ahead log.
///
/// It is in the header of the file, which SQLite writes again with each restart (file format, §4.1: the checkpoint
/// sequence number).
func restarts(ofLog database: String) throws -> UInt32 {
    let descriptor = open(database + "-wal", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw NoLog() }
    defer { _ = close(descriptor) }
    var header = [UInt8](repeating: 0, count: 16)
    guard pread(descriptor, &header, header.count, 0) == header.count else { throw NoLog() }
    return header[12...].reduce(0) { $0 << 8 | UInt32($1) }
}
