import ErrandText
internal import Glibc

/// The space of a file system.
///
/// A file system that does not tell its size, such as some of FUSE, counts as one without an end.
package struct DiskSpace: Sendable {
    /// The number of bytes that an unprivileged program can still write.
    package let freeBytes: Int
    /// The total number of bytes.
    package let totalBytes: Int

    /// Queries the system for the file system that contains a file; returns `nil` if it fails.
    ///
    /// - Parameter path: The file. It may be missing, but not its folder.
    package init?(at path: String) {
        guard let space = try? DiskSpace(folder: path.parentFolder) else { return nil }
        self = space
    }

    /// Queries the system for the file system that contains a folder.
    package init(folder: String) throws(SystemFailure) {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { throw SystemFailure("statvfs \(folder)") }
        guard status.f_blocks > 0 else {
            (freeBytes, totalBytes) = (.max, .max)
            return
        }
        freeBytes = Self.bytes(UInt64(status.f_bavail), UInt64(status.f_frsize))
        totalBytes = Self.bytes(UInt64(status.f_blocks), UInt64(status.f_frsize))
    }

    private static func bytes(_ blocks: UInt64, _ size: UInt64) -> Int {
        let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: size)
        return isTooMuch ? .max : Int(clamping: bytes)
    }
}
