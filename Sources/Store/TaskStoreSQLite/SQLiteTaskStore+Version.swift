import GRDB

extension SQLiteTaskStore {
    /// The version of SQLite.
    package static var libraryVersion: String {
        do {
            return try DatabaseQueue().inDatabase { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
                ?? "unknown"
        } catch {
            return "unknown"
        }
    }
}
