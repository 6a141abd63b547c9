import ErrandFiles
import ErrandTaskStore
import ErrandText
import Glibc

/// The folders of the body files.
struct BodyFolders {
    private let bodies: String

    init(_ bodies: String) {
        self.bodies = bodies
    }

    /// The number of folders.
    static let count = 256

    /// Returns the tasks with a complete file in a folder, in no particular order.
    func identifiers(inFolder number: Int) throws(SystemFailure) -> [TaskID] {
        var identifiers: [TaskID] = []
        try Folder.forEachName(in: folder(number)) { (name) throws(SystemFailure) in
            if let id = TaskID(name) { identifiers.append(id) }
        }
        return identifiers
    }

    private func folder(_ number: Int) -> String {
        "\(bodies)/\(Hexadecimal.text(number, minimumDigits: 2))"
    }

    /// Creates missing folders and removes incomplete files.
    func prepare(_ durability: Durability) throws(SystemFailure) {
        try Folder.makeWithParents(bodies)
        for number in 0..<Self.count {
            let folder = folder(number)
            try Folder.make(folder)
            try sweep(folder)
        }
        if durability == .full { try FileDescriptor(bodies, O_RDONLY | O_DIRECTORY).synchronize() }
    }

    /// Returns true if there is a file of a task, complete or not, or a partial file; creates nothing.
    func hasFiles() throws(SystemFailure) -> Bool {
        guard try Folder.hasEntry(at: bodies) else { return false }
        var hasFiles = false
        try Folder.forEachName(in: bodies) { (name) throws(SystemFailure) in
            guard !hasFiles, name != ".", name != ".." else { return }
            hasFiles = try Folder.hasEntries("\(bodies)/\(name)")
        }
        return hasFiles
    }

    private func sweep(_ folder: String) throws(SystemFailure) {
        try Folder.forEachName(in: folder) { (name) throws(SystemFailure) in
            guard name.hasSuffix(BodyPlace.partSuffix) else { return }
            let path = "\(folder)/\(name)"
            guard unlink(path) == 0 || errno == ENOENT else { throw SystemFailure("unlink \(path)") }
        }
    }
}
