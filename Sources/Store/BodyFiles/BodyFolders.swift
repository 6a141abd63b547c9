import ErrandFiles
import ErrandLocking
import ErrandTaskStore
import ErrandText
import Glibc

/// The folders of the body files, each made with its first file.
///
/// Any thread.
final class BodyFolders: Sendable {
    /// The folder of the folders.
    let path: String
    /// True if the names of folders have to be on the medium before a file in them is complete.
    private let synchronizes: Bool
    /// The names of the folders that exist, and are on the medium.
    private let made = Mutex<Set<String>>([])
    /// Held while a folder is made: a second caller waits until its name is on the medium.
    private let making = Mutex(())

    /// Creates the folders below one; nothing is made yet.
    init(_ path: String, durability: Durability) {
        self.path = path
        synchronizes = durability == .full
    }

    /// The number of folders.
    static let count = 256

    /// Returns the name of a folder.
    static func name(_ number: Int) -> String { Hexadecimal.text(number, minimumDigits: 2) }

    /// Returns the tasks with a complete file in a folder, in no particular order.
    func identifiers(inFolder number: Int) throws(SystemFailure) -> [TaskID] {
        let folder = "\(path)/\(Self.name(number))"
        var identifiers: [TaskID] = []
        guard try Folder.hasEntry(at: folder) else { return [] }
        try Folder.forEachName(in: folder) { (name) throws(SystemFailure) in
            if let id = TaskID(name) { identifiers.append(id) }
        }
        return identifiers
    }

    /// Makes the folder of the folders, and removes incomplete files.
    func prepare() throws(SystemFailure) {
        try Folder.makeWithParents(path)
        var found: Set<String> = []
        try Folder.forEachName(in: path) { (name) throws(SystemFailure) in found.insert(name) }
        found.formIntersection((0..<Self.count).map(Self.name))
        for name in found { try sweep("\(path)/\(name)") }
        // Also the names of folders of a process that was killed before it could do so.
        try synchronize()
        made.withLock { $0 = found }
    }

    /// Makes a folder if it is missing.
    ///
    /// With ``Durability/full``, waits until its name is on the medium: a file in it could be lost with the folder
    /// otherwise, although the file itself was synced.
    func make(_ name: String) throws(SystemFailure) {
        guard !isMade(name) else { return }
        try making.withLock { (_) throws(SystemFailure) in
            guard !isMade(name) else { return }
            let folder = "\(path)/\(name)"
            try Folder.make(folder)
            do throws(SystemFailure) {
                try synchronize()
            } catch {
                // After a failed sync, a second one would report success although the name is lost.
                _ = rmdir(folder)
                throw error
            }
            _ = made.withLock { $0.insert(name) }
        }
    }

    private func isMade(_ name: String) -> Bool {
        made.withLock { $0.contains(name) }
    }

    /// Returns true if there is a file of a task, complete or not, or a partial file; creates nothing.
    static func hasFiles(below path: String) throws(SystemFailure) -> Bool {
        guard try Folder.hasEntry(at: path) else { return false }
        var hasFiles = false
        try Folder.forEachName(in: path) { (name) throws(SystemFailure) in
            guard !hasFiles, name != ".", name != ".." else { return }
            hasFiles = try Folder.hasEntries("\(path)/\(name)")
        }
        return hasFiles
    }

    private func synchronize() throws(SystemFailure) {
        guard synchronizes else { return }
        try FileDescriptor(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    private func sweep(_ folder: String) throws(SystemFailure) {
        try Folder.forEachName(in: folder) { (name) throws(SystemFailure) in
            guard name.hasSuffix(BodyPlace.partSuffix) else { return }
            let path = "\(folder)/\(name)"
            guard unlink(path) == 0 || errno == ENOENT else { throw SystemFailure("unlink \(path)") }
        }
    }
}
