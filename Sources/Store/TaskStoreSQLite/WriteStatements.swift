import GRDB

/// The statements of the writer, prepared once for many transactions.
///
/// They belong to the connection's queue, and GRDB prevents their use elsewhere. SQLite does not reset a statement
/// after a failure, so all of them are then prepared again.
final class WriteStatements {
    private let begin: Statement
    private let commit: Statement
    let insertTask: Statement
    let insertSpecification: Statement
    let insertLabel: Statement
    let deleteLabels: Statement
    /// Reads a ``StoredTaskState`` or a ``RemovableTaskState``.
    let life: WriterQuery
    private let stateChange: Statement
    private let indexedChange: Statement
    private let unindexedChange: Statement
    let retriedBy: Statement
    let noteRetry: Statement
    /// Adds the result of a task that has none.
    ///
    /// Arguments: the number, then the other columns of `results`.
    let insertResult: Statement
    /// Replaces the result of a task that has one.
    ///
    /// Arguments: the same.
    let updateResult: Statement
    let deleteResult: Statement
    let deleteTask: Statement
    let probe: Statement
    let ordering: OrderingStatements
    let idempotency: IdempotencyStatements
    let events: EventStatements
    let schedules: ScheduleStatements
    let sessions: SessionStatements
    let clock: ClockStatements

    /// Prepares all statements.
    init(_ db: Database) throws {
        begin = try db.makeStatement(sql: "BEGIN IMMEDIATE")
        commit = try db.makeStatement(sql: "COMMIT")
        let columns = TaskColumn.inserted
        insertTask = try db.makeStatement(
            sql: """
                INSERT INTO tasks (\(columns.map(\.name).joined(separator: ", ")))
                VALUES (\(columns.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT (id) DO NOTHING
                """)
        insertSpecification = try db.makeStatement(sql: "INSERT INTO specifications VALUES (?, x'', ?, ?, ?, ?)")
        insertLabel = try db.makeStatement(sql: "INSERT INTO labels (number, key, value, id) VALUES (?, ?, ?, ?)")
        deleteLabels = try db.makeStatement(sql: "DELETE FROM labels WHERE number = ?")
        life = try WriterQuery(db, sql: StoredTaskState.sql)
        stateChange = try db.makeStatement(sql: TaskChange.state.sql)
        indexedChange = try db.makeStatement(sql: TaskChange.indexed.sql)
        unindexedChange = try db.makeStatement(sql: TaskChange.unindexed.sql)
        retriedBy = try db.makeStatement(sql: "SELECT retried_by FROM tasks INDEXED BY tasks_by_id WHERE id = ?")
        noteRetry = try db.makeStatement(
            sql: "UPDATE tasks SET retried_by = ?, updated_at = ?, revision = revision + 1 WHERE id = ?")
        // INSERT OR REPLACE could fail after it has removed the old row. So SQLite would allocate a journal of 64 KiB
        // for each execution, and copy each page to it that the statement changes.
        insertResult = try db.makeStatement(
            sql: "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        updateResult = try db.makeStatement(
            sql: """
                UPDATE results SET
                    attempts = ?2, response = ?3, error = ?4, object_kind = ?5, object_start = ?6, object_end = ?7,
                    body_size = ?8, body_sha256 = ?9, body_type = ?10, object = ?11, body = ?12
                WHERE number = ?1
                """)
        deleteResult = try db.makeStatement(sql: "DELETE FROM results WHERE number = ?")
        deleteTask = try db.makeStatement(sql: "DELETE FROM tasks WHERE number = ?")
        probe = try db.makeStatement(
            sql: "INSERT INTO probes VALUES (1, 0) ON CONFLICT DO UPDATE SET parity = 1 - parity")
        ordering = try OrderingStatements(db)
        idempotency = try IdempotencyStatements(db)
        events = try EventStatements(db)
        schedules = try ScheduleStatements(db)
        sessions = try SessionStatements(db)
        clock = try ClockStatements(db)
    }

    /// Performs operations in a transaction, which a failure rolls back.
    ///
    /// GRDB's own function prepares both of its statements for each transaction.
    func inTransaction(_ db: Database, _ operations: () throws -> Void) throws {
        try begin.execute()
        do {
            try operations()
            try commit.execute()
        } catch {
            // SQLite has rolled back already after some failures, such as of a full disk. If this fails, the next
            // transaction cannot begin, and says so.
            if db.isInsideTransaction { try? db.rollback() }
            throw error
        }
    }

    /// Returns the statement that updates a task.
    func update(_ change: TaskChange) -> Statement {
        switch change {
        case .state: stateChange
        case .indexed: indexedChange
        case .unindexed: unindexedChange
        }
    }
}
