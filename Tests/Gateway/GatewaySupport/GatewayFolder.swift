import ErrandBodyFiles
import ErrandSupport
import ErrandTaskEngine
import ErrandTaskStore
import ErrandTaskStoreSQLite
import FoundationEssentials

/// A folder for a store and its body files, deleted after the test.
final class GatewayFolder: Sendable {
    private let folder: TemporaryFolder

    var path: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the store, whose reads never take too long.
    func store() throws -> SQLiteTaskStore {
        try SQLiteTaskStore(path: "\(path)/tasks.db", durability: .normal, readTimeout: .seconds(86_400))
    }

    /// Returns the body files; content above 64 bytes is stored as a file.
    func bodies() throws -> BodyFiles {
        try BodyFiles(directory: path, inlineLimitBytes: 64, durability: .normal)
    }

    /// Returns the files with content of requests.
    func contents() throws -> BodyFiles {
        try BodyFiles(directory: path, name: "contents", inlineLimitBytes: 0, durability: .normal)
    }

    /// Returns the folders of bodies and of the content of requests.
    func files() throws -> ContentFiles {
        ContentFiles(bodies: try bodies(), contents: try contents())
    }

    /// Returns true if the task has a body file.
    func hasBody(_ id: TaskID) throws -> Bool {
        FileManager.default.fileExists(atPath: try bodies().path(of: id))
    }
}
