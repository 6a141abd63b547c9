import ErrandFiles
import GRDB
import Glibc

/// Asks the file system of a database whether it has space, where neither SQLite nor `statvfs(2)` tells it.
///
/// SQLite has a code of its own, SQLITE_FULL, only for a write that fails with ENOSPC. To an exhausted quota (EDQUOT),
/// and to a file of shared memory that cannot grow, it gives the codes of a device that fails. The free space of
/// `statvfs(2)` does not consider the quota of a user.
struct SpaceProbe: Sendable {
    private let path: String

    /// The size of the file that has to fit.
    ///
    /// More than any single step of SQLite: a write that failed has left less free space than itself.
    private static let bytes = 256 << 10

    /// Creates the probe of a database.
    init(database path: String) {
        self.path = "\(path).probe"
    }

    /// Returns true if SQLite failed for lack of space.
    ///
    /// Asks the file system only if the code allows both a lack of space and a failed device.
    func explains(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.extendedResultCode {
        case .SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE,
            // A network file system may refuse at the sync what it accepted before.
            .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC,
            // Files that share blocks may need space to become shorter.
            .SQLITE_IOERR_TRUNCATE,
            // The number of files has a limit too.
            .SQLITE_IOERR_SHMOPEN, .SQLITE_CANTOPEN:
            return findsNoSpace()
        default:
            return false
        }
    }

    /// Returns true if the file system refuses a small file for lack of space.
    ///
    /// Blocks until the file is written and synced, because a network file system may refuse it only then.
    func findsNoSpace() -> Bool {
        do throws(SystemFailure) {
            let file = try FileDescriptor(path, O_RDWR | O_CREAT)
            // Without a name it ends with its descriptor, also if the process is killed.
            _ = unlink(path)
            try file.write([UInt8](repeating: 0, count: Self.bytes))
            try file.synchronizeData()
            return false
        } catch {
            return error.number == ENOSPC || error.number == EDQUOT
        }
    }
}
