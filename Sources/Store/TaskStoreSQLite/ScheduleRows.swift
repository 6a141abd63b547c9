import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The rows of schedules.
struct ScheduleRows {
    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Returns all schedules, sorted by name.
    ///
    /// A damaged one neither hides the others nor prevents the start. With an unknown origin it is one of the API, so
    /// that it stays until a client removes it; with an invalid mark of suspension it is suspended.
    func all() throws -> [ScheduleRecord] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT
                        name, origin, definition, session, is_suspended, created_at, updated_at, next_run_at,
                        last_run_at, last_task, revision
                    FROM schedules ORDER BY name
                    """))
        var schedules: [ScheduleRecord] = []
        while let row = try rows.next() {
            var schedule = ScheduleRecord(
                name: row[0], origin: ScheduleRecord.Origin(rawValue: row[1]) ?? .api,
                definition: [UInt8](row[2] as Data), session: row[3], createdAt: Timestamp(milliseconds: row[5]),
                nextRunAt: row.timestamp(7))
            schedule.isSuspended = row.carefulFlag(4)
            schedule.updatedAt = Timestamp(milliseconds: row[6])
            schedule.lastRunAt = row.timestamp(8)
            schedule.lastTask = (row[9] as Data?).flatMap { TaskID(bytes: $0) }
            schedule.revision = row[10]
            schedules.append(schedule)
        }
        return schedules
    }
}

/// The statements that write schedules.
final class ScheduleStatements {
    let revision: Statement
    let write: Statement
    let delete: Statement

    /// Prepares all statements.
    init(_ db: Database) throws {
        revision = try db.makeStatement(sql: "SELECT revision FROM schedules WHERE name = ?")
        write = try db.makeStatement(
            sql: "INSERT OR REPLACE INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        delete = try db.makeStatement(sql: "DELETE FROM schedules WHERE name = ?")
    }
}

/// The operations of a transaction on schedules.
struct ScheduleWriting {
    private let db: Database
    private let statements: ScheduleStatements

    init(_ db: Database, _ statements: ScheduleStatements) {
        self.db = db
        self.statements = statements
    }

    /// Returns the revision of a schedule; `nil` if there is none.
    func revision(of name: String) throws -> Int64? {
        try Int64.fetchOne(statements.revision, arguments: [name])
    }

    /// Writes a schedule, replacing one with the same name.
    func write(_ schedule: ScheduleRecord) throws {
        try statements.write.execute(
            arguments: [
                schedule.name, schedule.origin.rawValue, Data(schedule.definition), schedule.session,
                schedule.isSuspended, schedule.createdAt.milliseconds, schedule.updatedAt.milliseconds,
                schedule.nextRunAt?.milliseconds, schedule.lastRunAt?.milliseconds,
                schedule.lastTask?.blob, schedule.revision,
            ])
    }

    /// Removes a schedule.
    ///
    /// - Returns: True if there was one.
    func remove(_ name: String) throws -> Bool {
        try statements.delete.execute(arguments: [name])
        return db.changesCount > 0
    }
}
