import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Logging

@testable import ErrandTaskStoreSQLite

/// A folder for the files of a store, removed after the test.
final class StoreFolder: Sendable {
    private let folder: TemporaryFolder

    /// The database file.
    var path: String { folder["tasks.db"] }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the store, whose reads never take too long.
    ///
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: The time that a connection waits for another one.
    ///   - openedAt: The time that the numbers of events follow; by default none, so that they begin with 1.
    func open(
        _ durability: Durability = .normal,
        busyTimeoutMilliseconds: Int = StoreOpening.defaultBusyTimeoutMilliseconds, openedAt: Timestamp? = nil,
        logger: Logger? = nil
    ) throws -> SQLiteTaskStore {
        try SQLiteTaskStore(
            StoreOpening(
                path: path, durability: durability, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
                openedAt: openedAt),
            readTimeout: .seconds(86_400), logger: logger)
    }

    /// Returns the file of a closed store after changes, from which ``restore(_:)`` makes any number of stores.
    static func file(_ change: (SQLiteTaskStore) async throws -> Void) async throws -> Data {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await change(store)
        await store.close()
        return try withExtendedLifetime(folder) { try Data(contentsOf: URL(filePath: folder.path)) }
    }

    /// Replaces the database with a file of ``file(_:)``; the store has to be closed.
    func restore(_ file: Data) throws {
        try file.write(to: URL(filePath: path))
    }

    /// Reads or changes the closed database with plain SQLite.
    func plain<Value>(_ work: (Database) throws -> Value) throws -> Value {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.inDatabase(work)
    }

    /// Returns true if a file of the store exists.
    func exists(_ suffix: String) -> Bool {
        FileManager.default.fileExists(atPath: path + suffix)
    }
}
