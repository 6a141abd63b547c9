internal import CErrandLinux
package import Glibc

/// The moves of files.
package enum FileMove {
    /// Moves a file to a path on the same file system, unless there is anything at that path.
    ///
    /// It is one step if the file system supports that, which NFS does not. Otherwise the file has both names for a
    /// moment, and keeps both if the process ends then.
    ///
    /// - Throws: `EEXIST` if there is anything at the new path, also a symbolic link that leads nowhere. The file is
    ///   then as before.
    package static func move(_ path: String, toFree newPath: String) throws(SystemFailure) {
        try move(path, toFree: newPath) { clinux_rename_to_free($0, $1) }
    }

    /// Returns true if a file has two names, as a move in two steps that was interrupted leaves it: it is complete, and at
    /// its destination.
    package static func hasTwoNames(_ status: stat) -> Bool { status.st_nlink > 1 }

    /// The error numbers of kernels, file systems and filters of system calls that do not support the one step.
    private static let unsupported: Set<Int32> = [EINVAL, ENOSYS, ENOTSUP, ENOTTY, EPERM]

    /// Moves a file by a given system call, or in two steps if the file system does not support that call.
    ///
    /// - Parameter rename: The call, which returns 0, or another value and the error number in `errno`.
    static func move(
        _ path: String, toFree newPath: String, by rename: (_ path: String, _ newPath: String) -> Int32
    ) throws(SystemFailure) {
        guard rename(path, newPath) != 0 else { return }
        let failure = SystemFailure("rename \(path)")
        guard unsupported.contains(failure.number) else { throw failure }
        // Unlike `rename(2)`, `link(2)` never replaces a file.
        guard link(path, newPath) == 0 else { throw SystemFailure("link \(path)") }
        // If this fails, the file keeps both names.
        _ = unlink(path)
    }
}
