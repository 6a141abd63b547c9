import Digest
import Glibc
import TaskStore

/// A body file while it is written: under a name of its own until it is complete, and gone if it never is.
struct PartFile: ~Copyable, Sendable {
    private let place: BodyPlace
    private let descriptor: FileDescriptor
    private var digest = SHA256()
    private var isPublished = false

    /// Creates an empty file, instead of one that an earlier attempt may have left.
    init(_ place: BodyPlace) throws(SystemFailure) {
        descriptor = try FileDescriptor(place.partPath, O_WRONLY | O_CREAT | O_TRUNC)
        self.place = place
    }

    deinit {
        // What cannot be removed now is swept at the next start.
        if !isPublished { _ = unlink(place.partPath) }
    }

    /// Appends bytes.
    mutating func append(_ bytes: [UInt8]) throws(SystemFailure) {
        try descriptor.write(bytes)
        digest.update(bytes)
    }

    /// Gives the file its name.
    ///
    /// With ``Durability/full`` its bytes are on the medium before, and the name after.
    ///
    /// - Returns: The SHA-256 of the bytes.
    consuming func publish(_ durability: Durability) throws(SystemFailure) -> [UInt8] {
        if durability == .full { try descriptor.synchronizeData() }
        guard rename(place.partPath, place.path) == 0 else { throw SystemFailure("rename \(place.partPath)") }
        isPublished = true
        if durability == .full { try FileDescriptor(place.folder, O_RDONLY | O_DIRECTORY).synchronize() }
        let digest = take()
        return digest.finish()
    }

    private mutating func take() -> SHA256 {
        var taken = SHA256()
        swap(&taken, &digest)
        return taken
    }
}

/// Where the body of a task is.
struct BodyPlace: Sendable {
    /// The folder of the file.
    let folder: String
    /// The complete file.
    let path: String
    /// The file while it is written.
    var partPath: String { path + Self.partSuffix }

    /// What the names of incomplete files end with.
    static let partSuffix = ".part"

    /// Creates the place of a task below the folder of all bodies.
    init(_ id: TaskID, below bodies: String) {
        let name = id.description
        // The last two digits are random, the first ones are the time.
        folder = "\(bodies)/\(name.suffix(2))"
        path = "\(folder)/\(name)"
    }
}
