import ErrandTaskStore
import ErrandTime
import GRDB

/// The row of the clock.
struct ClockRow {
    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Returns the clock; one without a jump if it was never stored.
    func clock() throws -> StoredClock {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT clock_offset, is_settled, at, newest_event FROM clock WHERE number = 1"))
        guard let row = try rows.next() else { return StoredClock() }
        let (offset, at): (Int64, Int64) = (row[0], row[2])
        // A damaged flag must not prevent the start: the waits are moved again, which changes none that agrees.
        return StoredClock(
            offset: .milliseconds(offset), isSettled: (row[1] as Int64) == 1, at: Timestamp(milliseconds: at),
            newestEvent: row[3])
    }
}

/// The statement that writes the row of the clock.
final class ClockStatements {
    private let write: Statement

    /// Prepares the statement.
    init(_ db: Database) throws {
        write = try db.makeStatement(sql: "INSERT OR REPLACE INTO clock VALUES (1, ?, ?, ?, ?)")
    }

    /// Stores the clock, replacing the former one.
    func set(_ clock: StoredClock, newestEvent: Int64) throws {
        try write.execute(arguments: [
            clock.offset.wholeMilliseconds, clock.isSettled, clock.at.milliseconds, newestEvent,
        ])
    }
}
