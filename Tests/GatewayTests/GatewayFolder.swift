import BodyFiles
import FoundationEssentials
import TaskStore
import TaskStoreSQLite

/// A folder for a store and its body files; gone after the test.
final class GatewayFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/errand-gateway-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing of a test depends on the removal.
        try? FileManager.default.removeItem(atPath: path)
    }

    func store() throws -> SQLiteTaskStore {
        try SQLiteTaskStore(path: "\(path)/tasks.db", durability: .normal)
    }

    /// The body files; content above 64 bytes becomes one.
    func bodies() throws -> BodyFiles {
        try BodyFiles(directory: path, inlineLimitBytes: 64, durability: .normal)
    }

    /// Whether there is a body file of the task.
    func hasBody(_ id: TaskID) throws -> Bool {
        FileManager.default.fileExists(atPath: try bodies().path(of: id))
    }
}
