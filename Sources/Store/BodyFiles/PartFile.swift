import ErrandCryptography
import ErrandFiles
import ErrandTaskStore
import Glibc

/// A body file that is being written, under a temporary name until it is complete.
///
/// An incomplete file is removed when the value is destroyed.
struct PartFile: ~Copyable, Sendable {
    private let place: BodyPlace
    private var descriptor: FileDescriptor
    private var digest = SHA256()
    /// True if the file may have its final name.
    private var mayBeNamed = false
    private var isPublished = false
    private var margin: DiskMargin

    /// Creates an empty file, replacing one that an earlier attempt may have left.
    ///
    /// - Parameter minFreeBytes: The free space on the disk below which the file is not continued; 0 for no minimum.
    init(_ place: BodyPlace, minFreeBytes: Int64) throws(SystemFailure) {
        do {
            descriptor = try FileDescriptor(place.partPath, O_RDWR | O_CREAT | O_TRUNC)
        } catch {
            // The file may have been created before its descriptor was refused as one of the last.
            _ = unlink(place.partPath)
            throw error
        }
        self.place = place
        margin = DiskMargin(folder: place.folder, minFreeBytes: minFreeBytes)
    }

    deinit {
        // A file that cannot be removed now is removed at the next start.
        if !isPublished { _ = unlink(place.partPath) }
        if mayBeNamed, !isPublished { _ = unlink(place.path) }
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
        guard rename(place.partPath, place.path) == 0 else { throw SystemFailure("rename \(place.partPath)") }
        if durability == .full { try FileDescriptor(place.folder, O_RDONLY | O_DIRECTORY).synchronize() }
        isPublished = true
        let digest = take()
        return digest.finish()
    }

    private mutating func take() -> SHA256 {
        var taken = SHA256()
        swap(&taken, &digest)
        return taken
    }
}

/// The paths of a task's body, which are made when they are used: most bodies stay in memory.
struct BodyPlace: Sendable {
    private let id: TaskID
    private let bodies: String
    /// The folder of the file.
    var folder: String { parent(of: id.description) }
    /// The path of the complete file.
    var path: String {
        let name = id.description
        return "\(parent(of: name))/\(name)"
    }
    /// The path of the file while it is being written.
    var partPath: String { path + Self.partSuffix }

    /// The suffix of incomplete files.
    static let partSuffix = ".part"

    /// Creates the paths of a task's body below the folder of all bodies.
    init(_ id: TaskID, below bodies: String) {
        self.id = id
        self.bodies = bodies
    }

    private func parent(of name: String) -> String {
        // The last two digits are random, whereas the first ones encode the time.
        "\(bodies)/\(name.suffix(2))"
    }
}
