import ErrandCryptography
import ErrandFiles
import ErrandLocking
import ErrandSessionCore
import ErrandText
import Glibc

/// The file of an incomplete download, which only the owner of the process can read.
///
/// Locked as long as this object lives, so that two downloads do not write to the same file. Its calls block; one
/// thread at a time, except that ``synchronize()`` may be called from any thread.
final class PartialFile: Sendable {
    /// The path of the file.
    let path: String
    private let descriptor: FileDescriptor
    private let space: Mutex<Space>

    /// The missing bytes from which on their space is reserved: for a small file that would cost more than the file.
    static let minReservedBytes: Int64 = 1 << 20

    private struct Space: Sendable {
        /// The free space that the disk keeps.
        var margin: DiskMargin
        /// True if the bytes that are missing have their space already.
        var isReserved = false
    }

    /// Creates an empty file with an unpredictable name.
    convenience init(inFolder folder: String) throws(SystemFailure) {
        guard let name = SystemRandomness.bytes(16) else { throw SystemFailure("getentropy") }
        try self.init(creating: DownloadPath.path(of: ".\(Hexadecimal.encode(name)).part", in: folder))
    }

    /// Creates an empty file at a path, which must be free.
    ///
    /// - Parameter minFreeBytes: The free space on the disk below which the file is not continued; 0 for no minimum.
    init(creating path: String, minFreeBytes: Int64 = 0) throws(SystemFailure) {
        let descriptor = try Self.create(path)
        try Self.lock(descriptor, path)
        self.path = path
        self.descriptor = descriptor
        space = Mutex(Space(margin: DiskMargin(folder: path.parentFolder, minFreeBytes: minFreeBytes)))
    }

    /// Opens the file of an interrupted download.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes that count. Others are dropped at once: after a loss of power they may be wrong,
    ///     and a later look at the file would count them.
    ///   - minFreeBytes: As for ``init(creating:minFreeBytes:)``.
    /// - Throws: Also if it is not a regular file, or is behind a symbolic link; `ENOENT` also if the file has another
    ///   name, whose bytes must not change. It then loses this one.
    init(opening path: String, keeping bytes: Int64 = .max, minFreeBytes: Int64 = 0) throws(SystemFailure) {
        let descriptor = try FileDescriptor(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard try descriptor.regularFileBytes() != nil else {
            throw SystemFailure("open \(path), which is not a regular file", number: EINVAL)
        }
        try Self.lock(descriptor, path)
        guard try !descriptor.hasTwoNames() else {
            _ = unlink(path)
            throw SystemFailure("open \(path), which has another name", number: ENOENT)
        }
        if try descriptor.size() > bytes, ftruncate(descriptor.number, off_t(bytes)) != 0 {
            throw SystemFailure("ftruncate \(path)")
        }
        self.path = path
        self.descriptor = descriptor
        space = Mutex(Space(margin: DiskMargin(folder: path.parentFolder, minFreeBytes: minFreeBytes)))
    }

    deinit {
        // Closing alone is not enough: a child process that is being started has copies of all descriptors until it
        // executes its program.
        _ = flock(descriptor.number, LOCK_UN)
    }

    private static func create(_ path: String) throws(SystemFailure) -> FileDescriptor {
        do throws(SystemFailure) {
            return try FileDescriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch {
            // The file may have been created before its descriptor was refused as one of the last.
            if error.number == EMFILE { _ = unlink(path) }
            throw error
        }
    }

    private static func lock(_ descriptor: borrowing FileDescriptor, _ path: String) throws(SystemFailure) {
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 else { return }
        let failure = SystemFailure("flock \(path)")
        // Some file systems have no locks.
        if failure.number == EWOULDBLOCK { throw failure }
    }

    /// The number of bytes in the file.
    func size() throws(SystemFailure) -> Int64 {
        try descriptor.size()
    }

    /// Drops the bytes from an offset on, where the next bytes are appended, or keeps those of parts behind it.
    ///
    /// - Parameters:
    ///   - offset: The offset of the next bytes that are appended.
    ///   - end: The end of the bytes that are kept; `nil` for the offset.
    ///   - total: The number of bytes of the complete file, whose space is reserved if the file system can; `nil` if it
    ///     is unknown.
    /// - Throws: `ENOSPC` if the disk has no space for the complete file; what it has is kept.
    func begin(at offset: Int64, keepingUpTo end: Int64? = nil, of total: Int64? = nil) throws(SystemFailure) {
        let end = max(offset, end ?? offset)
        try truncate(to: end)
        guard lseek(descriptor.number, off_t(offset), SEEK_SET) >= 0 else { throw SystemFailure("lseek \(path)") }
        guard let total, total - offset >= Self.minReservedBytes else { return }
        // The server names the total, so it must not take all space, not even for a moment.
        let missing = total - (try descriptor.allocatedBytes())
        try space.withLock { (space) throws(SystemFailure) in try space.margin.require(missing) }
        do throws(SystemFailure) {
            let isReserved = try descriptor.reserve(total)
            space.withLock { $0.isReserved = isReserved }
        } catch {
            // Gives back what was reserved before the error.
            try? truncate(to: end)
            throw error
        }
    }

    /// Gives back the space that is reserved for missing bytes at the end.
    func giveReservedSpaceBack() {
        // If it fails, the space is given back with the file.
        guard space.withLock({ $0.isReserved }), let size = try? size() else { return }
        try? truncate(to: size)
    }

    /// Sets the size of the file, and gives back the space behind it.
    private func truncate(to size: Int64) throws(SystemFailure) {
        guard ftruncate(descriptor.number, off_t(size)) == 0 else { throw SystemFailure("ftruncate \(path)") }
        space.withLock { $0.isReserved = false }
    }

    /// Writes bytes of a part.
    ///
    /// - Throws: `ENOSPC` also if the disk has less free space than required.
    func write(_ bytes: [UInt8], at offset: Int64) throws(SystemFailure) {
        try take(bytes.count)
        try descriptor.write(bytes, at: offset)
    }

    /// Appends bytes.
    ///
    /// - Throws: As ``write(_:at:)``.
    func write(_ bytes: [UInt8]) throws(SystemFailure) {
        try take(bytes.count)
        try descriptor.write(bytes)
    }

    private func take(_ count: Int) throws(SystemFailure) {
        try space.withLock { (space) throws(SystemFailure) in
            if !space.isReserved { try space.margin.take(count) }
        }
    }

    /// True if the disk has the required free space without any more bytes of this file.
    var leavesFreeSpace: Bool {
        (try? space.withLock { (space) throws(SystemFailure) in try space.margin.require(0) }) != nil
    }

    /// Waits until the bytes are on the medium.
    func synchronize() throws(SystemFailure) {
        try descriptor.synchronizeData()
    }

    /// Replaces `piece` by up to `count` bytes from an offset; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int64, into piece: inout [UInt8]) throws(SystemFailure) {
        try descriptor.read(count, at: offset, into: &piece)
    }

    /// True if the file is still at its path.
    var isInPlace: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Removes the file.
    func remove() {
        // A file that cannot be removed does no harm: its name is never used again.
        _ = unlink(path)
    }

    // MARK: Destination

    /// Moves the file to its destination, in one step, so that there is never an incomplete file.
    ///
    /// - Returns: The path of the file.
    /// - Throws: ``SessionErrorCode/exists`` or ``SessionErrorCode/cannotMove``. The destination is then as before, and
    ///   the file at its path; except if the folder could not be synchronized after the file was renamed to the
    ///   destination (``DownloadConflict/overwrite``), where it remains.
    func move(to target: DownloadPath, _ conflict: DownloadConflict) throws(SessionError) -> String {
        try target.check(conflict)
        var mayHaveReplaced = false
        do throws(SystemFailure) {
            // Opened first, so that a folder that cannot be opened leaves the destination as it is.
            let folder = try FileDescriptor(target.folder, O_RDONLY | O_DIRECTORY)
            let location = try place(at: target, conflict)
            mayHaveReplaced = conflict == .overwrite
            do throws(SystemFailure) {
                try folder.synchronize()
            } catch {
                // Some file systems cannot synchronize folders.
                guard error.number == EINVAL else {
                    takeBack(location, conflict)
                    throw error
                }
            }
            return location
        } catch {
            guard error.number != EEXIST else { throw target.exists }
            guard !mayHaveReplaced else {
                throw SessionError(
                    .cannotMove, "The file is at \(target.path), but may not be on the medium: \(error.reason)")
            }
            throw SessionError(moving: error, to: target.path)
        }
    }

    /// Moves the file back from its destination, unless it may have replaced another one, which is lost.
    func takeBack(_ location: String, _ conflict: DownloadConflict) {
        guard conflict != .overwrite else { return }
        // A file that cannot be moved back must not stay at a destination that the caller takes for free.
        if rename(location, path) != 0 { _ = unlink(location) }
    }

    /// Moves the file, without waiting until its new name is on the medium.
    ///
    /// - Returns: The path of the file.
    func place(at target: DownloadPath, _ conflict: DownloadConflict) throws(SystemFailure) -> String {
        switch conflict {
        case .overwrite:
            guard rename(path, target.path) == 0 else { throw SystemFailure("rename \(path)") }
            return target.path
        case .fail:
            try FileMove.move(path, toFree: target.path)
            return target.path
        case .rename:
            var location = target.path
            for number in 1...Self.maxNumber {
                do throws(SystemFailure) {
                    try FileMove.move(path, toFree: location)
                    return location
                } catch {
                    guard error.number == EEXIST else { throw error }
                    location = target.numbered(number)
                }
            }
            throw SystemFailure("rename \(path)", number: EEXIST)
        }
    }

    /// The highest number of a name that is tried.
    private static let maxNumber = 10_000
}

extension SessionError {
    /// Creates the error of a partial file that could not be created or opened.
    init(creating failure: SystemFailure, in place: String) {
        switch failure.number {
        case ENOSPC, EDQUOT:
            self.init(noSpace: failure, for: place)
        default:
            // Another attempt may find a free descriptor.
            self.init(
                failure.isOutOfDescriptors ? .cannotWrite : .cannotCreate,
                "The file could not be created: \(place): \(failure.reason)")
        }
    }

    /// Creates the error of a complete file that could not be moved.
    init(moving failure: SystemFailure, to path: String) {
        self.init(
            .cannotMove, "The file could not be moved to \(path): \(failure.reason)",
            isRetryable: failure.isOutOfDescriptors ? true : nil)
    }

    private init(noSpace failure: SystemFailure, for place: String) {
        let reason =
            failure.keepsSpaceFree ? "The disk would have less free space than files.min_free" : "The disk is full"
        self.init(.diskFull, "\(reason): \(place)")
    }

    /// True if a complete file is good although it could not be moved with this error.
    var leavesFileGood: Bool {
        switch code {
        case .exists, .cannotMove, .cannotCreate, .canceled: true
        default: false
        }
    }

    /// Creates the error of a partial file that could not be written or read back.
    init(writing failure: SystemFailure, to path: String) {
        switch failure.number {
        case ENOSPC, EDQUOT: self.init(noSpace: failure, for: path)
        default: self.init(.cannotWrite, "The file \(path) could not be written: \(failure.reason)")
        }
    }
}
