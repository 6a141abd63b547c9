package import ErrandFiles
package import ErrandTaskStore
import Glibc

/// Copies the complete body files of a folder to another, as hard links where possible.
///
/// Files that are never changed in place can be shared: each is a hard link where the file system permits it, else a
/// copy. A second call adds the files that have come since, and replaces those with another file under the same name.
/// All functions block.
package struct BodyFileMirror: Sendable {
    private let source: String
    private let destination: String

    /// Creates a mirror.
    ///
    /// - Parameters:
    ///   - source: The folder of the files, such as `data/bodies`; if it is missing, there are none.
    ///   - destination: The other folder, which is created.
    package init(from source: String, to destination: String) {
        self.source = source
        self.destination = destination
    }

    /// The number and size of files.
    package struct Extent: Sendable, Hashable {
        /// The number of files.
        package var files = 0
        /// Their bytes together.
        package var bytes: Int64 = 0

        /// Creates the extent of some files.
        package init(files: Int = 0, bytes: Int64 = 0) {
            self.files = files
            self.bytes = bytes
        }
    }

    /// Links or copies the files.
    ///
    /// A file that is removed meanwhile is left out.
    package func run() throws(SystemFailure) {
        try Folder.make(destination)
        for number in 0..<BodyFolders.count {
            let name = BodyFolders.name(number)
            let (from, to) = ("\(source)/\(name)", "\(destination)/\(name)")
            guard try Folder.hasEntry(at: from) else { continue }
            try Folder.make(to)
            try Folder.forEachName(in: from) { (name) throws(SystemFailure) in
                guard TaskID(name) != nil else { return }
                try give("\(from)/\(name)", to: "\(to)/\(name)")
            }
        }
    }

    /// Waits until the files of the other folder, and their names, are on the medium.
    ///
    /// A link does not say that the bytes are there: with `durability: normal` the gateway does not wait for them.
    package func synchronize() throws(SystemFailure) {
        try forEachFile(in: destination) { (id, _) throws(SystemFailure) in
            try FileDescriptor(BodyPlace.path(of: id, below: destination), O_RDONLY).synchronize()
        }
        for number in 0..<BodyFolders.count {
            let folder = "\(destination)/\(BodyFolders.name(number))"
            guard try Folder.hasEntry(at: folder) else { continue }
            try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).synchronize()
        }
        try FileDescriptor(destination, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Returns the number and size of the files in the other folder.
    package func extent() throws(SystemFailure) -> Extent {
        var extent = Extent()
        try forEachFile(in: destination) { (_, bytes) throws(SystemFailure) in
            extent.files += 1
            extent.bytes += bytes
        }
        return extent
    }

    /// Returns a file of the other folder that the source does not have with the same size; `nil` if there is none.
    package func foreignFile() throws(SystemFailure) -> String? {
        var foreign: String?
        try forEachFile(in: destination) { (id, bytes) throws(SystemFailure) in
            if Self.size(BodyPlace.path(of: id, below: source)) != bytes {
                foreign = BodyPlace.path(of: id, below: destination)
            }
        }
        return foreign
    }

    /// Returns the number of bytes of a task's file in a folder of body files; `nil` if there is none.
    package static func bytes(of id: TaskID, below folder: String) -> Int64? {
        size(BodyPlace.path(of: id, below: folder))
    }

    private func forEachFile(
        in folder: String, _ body: (TaskID, Int64) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        for number in 0..<BodyFolders.count {
            let below = "\(folder)/\(BodyFolders.name(number))"
            guard try Folder.hasEntry(at: below) else { continue }
            try Folder.forEachName(in: below) { (name) throws(SystemFailure) in
                guard let id = TaskID(name), let bytes = Self.size("\(below)/\(name)") else { return }
                try body(id, bytes)
            }
        }
    }

    // MARK: One file

    private func give(_ path: String, to other: String) throws(SystemFailure) {
        if link(path, other) == 0 { return }
        switch errno {
        case ENOENT:
            return
        case EEXIST:
            guard try !Self.areSame(path, other) else { return }
            guard unlink(other) == 0 || errno == ENOENT else { throw SystemFailure("unlink \(other)") }
            try give(path, to: other)
        case EXDEV, EPERM, EMLINK, ENOTSUP, ENOSYS:
            try copy(path, to: other)
        default:
            throw SystemFailure("link \(path)")
        }
    }

    /// Copies a file with its time of modification, by which a later call recognizes the copy.
    private func copy(_ path: String, to other: String) throws(SystemFailure) {
        let source: FileDescriptor
        do throws(SystemFailure) {
            source = try FileDescriptor(path, O_RDONLY)
        } catch {
            guard error.number != ENOENT else { return }
            throw error
        }
        let part = other + BodyPlace.partSuffix
        var copy = try FileDescriptor(part, O_WRONLY | O_CREAT | O_TRUNC)
        var offset: Int64 = 0
        var buffer: [UInt8] = []
        repeat {
            try source.read(Self.pieceBytes, at: offset, into: &buffer)
            try copy.write(buffer)
            offset += Int64(buffer.count)
        } while !buffer.isEmpty
        var status = stat()
        guard fstat(source.number, &status) == 0 else { throw SystemFailure("fstat \(path)") }
        guard futimens(copy.number, [status.st_atim, status.st_mtim]) == 0 else {
            throw SystemFailure("futimens \(part)")
        }
        try copy.close()
        guard rename(part, other) == 0 else { throw SystemFailure("rename \(part)") }
    }

    private static let pieceBytes = 1 << 20

    /// Returns true if one file is a link to the other, or its copy.
    private static func areSame(_ path: String, _ other: String) throws(SystemFailure) -> Bool {
        var (first, second) = (stat(), stat())
        // The original was removed meanwhile: what is there is its last state.
        guard lstat(path, &first) == 0 else { return true }
        guard lstat(other, &second) == 0 else { throw SystemFailure("lstat \(other)") }
        if FileIdentity(first) == FileIdentity(second) { return true }
        return first.st_size == second.st_size && first.st_mtim.tv_sec == second.st_mtim.tv_sec
            && first.st_mtim.tv_nsec == second.st_mtim.tv_nsec
    }

    private static func size(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }
}
