import FoundationEssentials
import GRDB
import TaskStore

@testable import TaskStoreSQLite

/// A folder for the files of a store; gone after the test.
final class StoreFolder: Sendable {
    private let folder: String

    /// The database file.
    var path: String { "\(folder)/tasks.db" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/errand-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing of a test depends on the removal.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Opens the store.
    func open(_ durability: Durability = .normal) throws -> SQLiteTaskStore {
        try SQLiteTaskStore(path: path, durability: durability)
    }

    /// Reads or changes the closed database with plain SQLite.
    func plain<Value>(_ work: (Database) throws -> Value) throws -> Value {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.inDatabase(work)
    }

    /// Whether a file of the store exists.
    func exists(_ suffix: String) -> Bool {
        FileManager.default.fileExists(atPath: path + suffix)
    }
}
