import ErrandFiles
import ErrandTaskStore

/// The paths of a task's body, which are made when they are used: most bodies stay in memory.
struct BodyPlace: Sendable {
    private let id: TaskID
    private let folders: BodyFolders
    /// The folder of the file.
    var folder: String { "\(folders.path)/\(Self.folderName(of: id.description))" }
    /// The path of the complete file.
    var path: String { Self.path(of: id, below: folders.path) }
    /// The path of the file while it is being written.
    var partPath: String { path + Self.partSuffix }

    /// The suffix of incomplete files.
    static let partSuffix = ".part"

    /// Creates the paths of a task's body in the folder that is made for it.
    init(_ id: TaskID, in folders: BodyFolders) {
        self.id = id
        self.folders = folders
    }

    /// Makes the folder of the file if it is missing.
    func makeFolder() throws(SystemFailure) {
        try folders.make(Self.folderName(of: id.description))
    }

    /// Returns the path of the complete file of a task below the folder of all bodies.
    static func path(of id: TaskID, below bodies: String) -> String {
        let name = id.description
        return "\(bodies)/\(folderName(of: name))/\(name)"
    }

    private static func folderName(of name: String) -> String {
        // The last two digits are random, whereas the first ones encode the time.
        String(name.suffix(2))
    }
}
