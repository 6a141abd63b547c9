import ErrandCryptography
import ErrandFiles
import ErrandTaskStore
import Glibc

/// A body file that is being written, under a temporary name until it is complete.
///
/// An incomplete file is removed when the value is destroyed.
struct PartFile: ~Copyable, Sendable {
    private let place: BodyPlace
    /// The path of the incomplete file.
    private let path: String
    /// The place of an incomplete file that is kept, whose path is valid as long as this object lives.
    private let keeper: (any KeptBodyPlace)?
    private var descriptor: FileDescriptor
    private var digest = SHA256()
    /// True if the file may have its final name.
    private var mayBeNamed = false
    /// True if the file is complete, or kept for another process.
    private var isSettled = false
    private var margin: DiskMargin

    /// Creates an empty file, replacing one that an earlier attempt may have left.
    ///
    /// - Parameters:
    ///   - keeper: The place of the incomplete file, if it may be kept; `nil` for a file beside the complete one.
    ///   - minFreeBytes: The free space on the disk below which the file is not continued; 0 for no minimum.
    init(_ place: BodyPlace, at keeper: (any KeptBodyPlace)? = nil, minFreeBytes: Int64) throws(SystemFailure) {
        try place.makeFolder()
        let path = if let keeper { try keeper.prepare() } else { place.partPath }
        do {
            descriptor = try FileDescriptor(path, O_RDWR | O_CREAT | O_TRUNC)
        } catch {
            // The file may have been created before its descriptor was refused as one of the last.
            _ = unlink(path)
            throw error
        }
        self.place = place
        self.path = path
        self.keeper = keeper
        margin = DiskMargin(folder: place.folder, minFreeBytes: minFreeBytes)
    }

    /// Continues a file that was kept, and whose bytes were all read for the digest.
    ///
    /// - Parameters:
    ///   - keeper: The place of the file.
    ///   - minFreeBytes: The free space on the disk below which the file is not continued; 0 for no minimum.
    init(
        _ place: BodyPlace, continuing kept: consuming KeptFile, at keeper: any KeptBodyPlace, minFreeBytes: Int64
    ) throws(SystemFailure) {
        try place.makeFolder()
        self.place = place
        self.keeper = keeper
        path = kept.path
        margin = DiskMargin(folder: place.folder, minFreeBytes: minFreeBytes)
        descriptor = kept.descriptor
        digest = kept.digest
    }

    deinit {
        // A file that cannot be removed now is removed at the next start.
        if !isSettled { _ = unlink(path) }
        if mayBeNamed, !isSettled { _ = unlink(place.path) }
    }

    /// Appends bytes.
    ///
    /// - Throws: `ENOSPC` also if the disk has less free space than required.
    mutating func append(_ bytes: [UInt8]) throws(SystemFailure) {
        try margin.take(bytes.count)
        try descriptor.write(bytes)
        digest.update(bytes)
    }

    /// Returns another descriptor of the file, for reading; it stays valid when the file gets its final name or is
    /// removed.
    func duplicate() throws(SystemFailure) -> FileDescriptor {
        try descriptor.duplicate()
    }

    /// Gives the file its final name.
    ///
    /// With ``Durability/full`` its bytes are on the medium before the rename, and the name after it.
    ///
    /// If a step fails, the file is removed under both names. No step is repeated: after a failed sync, a second one
    /// would report success although the bytes are lost.
    ///
    /// - Returns: The SHA-256 of the bytes.
    consuming func publish(_ durability: Durability) throws(SystemFailure) -> [UInt8] {
        if durability == .full { try descriptor.synchronizeData() }
        try descriptor.close()
        mayBeNamed = true
        guard rename(path, place.path) == 0 else { throw SystemFailure("rename \(path)") }
        if durability == .full { try FileDescriptor(place.folder, O_RDONLY | O_DIRECTORY).synchronize() }
        isSettled = true
        let digest = take()
        return digest.finish()
    }

    /// Leaves the incomplete file for another process, once its bytes are on the medium.
    ///
    /// If that fails, the file is removed.
    consuming func keep() throws(SystemFailure) {
        try descriptor.synchronizeData()
        isSettled = true
    }

    private mutating func take() -> SHA256 {
        var taken = SHA256()
        swap(&taken, &digest)
        return taken
    }
}
