import ErrandFiles
import Glibc

/// Reserved disk space for deletions: a file next to the database, which is removed when the disk is full.
struct Ballast {
    private let path: String
    /// The bytes to reserve; 0 on a file system that does not tell its size.
    private let bytes: Int
    private let margin: Int
    private let probe: SpaceProbe
    /// True if the space is reserved.
    private(set) var isHeld = false

    /// The most bytes to reserve.
    ///
    /// They suffice for the part of the write-ahead log by which the database has not grown yet, and some hundred
    /// deletions.
    static let maxBytes = 24 << 20
    /// The space that must stay free in addition when the space is reserved, in bytes.
    static let maxMargin = 4 << 20

    /// Creates the reserve of a database, including one that an earlier process has left.
    ///
    /// - Parameter maxBytes: The most bytes to reserve; at most a quarter of the disk.
    init(database path: String, maxBytes: Int = Self.maxBytes) {
        self.path = "\(path).ballast"
        probe = SpaceProbe(database: path)
        let total = DiskSpace(at: path)?.totalBytes ?? .max
        bytes = total == .max ? 0 : min(maxBytes, total / 4)
        margin = min(Self.maxMargin, total / 8)
        var status = stat()
        isHeld = stat(self.path, &status) == 0 && bytes > 0 && Int(status.st_blocks) * 512 >= bytes
    }

    /// Returns true if the disk has free space in addition to the reserve and to `bytes`.
    func hasMargin(beside bytes: Int = 0) -> Bool {
        DiskSpace(at: path).map { $0.freeBytes >= margin + bytes } ?? true
    }

    /// Returns true if the disk has free space in addition to the reserve, and no quota withholds it.
    ///
    /// Blocks while the disk is written to, unlike ``hasMargin(beside:)``, which does not see the quota of a user.
    func hasSpace() -> Bool {
        hasMargin() && !probe.findsNoSpace()
    }

    /// Reserves the space if the disk has enough of it.
    ///
    /// - Returns: False if the disk is too full. True also if its free space is not known.
    mutating func take() -> Bool {
        guard !isHeld, bytes > 0 else { return true }
        guard let space = DiskSpace(at: path), space.freeBytes >= bytes + margin else { return false }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        // Within a quota too, the margin has to be free beside the reserve.
        isHeld = posix_fallocate(descriptor, 0, off_t(bytes + margin)) == 0 && ftruncate(descriptor, off_t(bytes)) == 0
        _ = close(descriptor)
        // A partial reserve would only be in the way.
        if !isHeld { _ = unlink(path) }
        return isHeld
    }

    /// Frees the reserved space.
    ///
    /// - Returns: True if there was any.
    mutating func release() -> Bool {
        isHeld = false
        return unlink(path) == 0
    }
}
