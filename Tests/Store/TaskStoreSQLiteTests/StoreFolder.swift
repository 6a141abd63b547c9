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
