internal import Glibc

/// The free space that a file system keeps while a file on it is written.
package struct DiskMargin: Sendable {
    private let folder: String
    private let minFreeBytes: Int64
    /// The number of bytes since the last check of the free space.
    private var unchecked = Self.checkedBytes

    /// The number of bytes after which the free space is checked again.
    private static let checkedBytes = 16 << 20

    /// Creates the margin of a file.
    ///
    /// - Parameters:
    ///   - folder: The folder of the file.
    ///   - minFreeBytes: The free space below which the file is not continued; 0 for no minimum.
    package init(folder: String, minFreeBytes: Int64) {
        self.folder = folder
        self.minFreeBytes = minFreeBytes
    }

    /// Checks, from time to time, that the file system has its free space, before bytes are written.
    ///
    /// - Throws: `ENOSPC` if it has less.
    package mutating func take(_ count: Int) throws(SystemFailure) {
        unchecked += count
        guard minFreeBytes > 0, unchecked >= Self.checkedBytes else { return }
        unchecked = 0
        try require(0)
    }

    /// Checks that the file system keeps its free space beside further bytes.
    ///
    /// - Throws: `ENOSPC` if it would have less, with ``SystemFailure/keepsSpaceFree`` if the bytes would fit.
    package func require(_ bytes: Int64) throws(SystemFailure) {
        let left = Int64(try DiskSpace(folder: folder).freeBytes).subtractingReportingOverflow(max(bytes, 0))
        guard !left.overflow, left.partialValue >= minFreeBytes else {
            throw SystemFailure(
                "write to \(folder)", number: ENOSPC, keepsSpaceFree: !left.overflow && left.partialValue >= 0)
        }
    }
}
