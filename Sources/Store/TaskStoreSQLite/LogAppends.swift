import CErrandSQLite
import GRDB

/// Counts the commits of a connection that append to the write-ahead log.
///
/// A commit that changes no page appends nothing: that of a repeated creation, or of a removal that finds nothing.
///
/// Must be used on the queue of the connection.
final class LogAppends {
    /// The number of commits that have appended.
    private(set) var count = 0

    /// Counts from now on, until ``stop(_:)``.
    init(_ db: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, _ in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogAppends>.fromOpaque(context).takeUnretainedValue().count += 1
                return SQLITE_OK
            }, context)
    }

    /// Counts no more: the connection may outlive this object.
    func stop(_ db: Database) {
        sqlite3_wal_hook(db.sqliteConnection, nil, nil)
    }
}
