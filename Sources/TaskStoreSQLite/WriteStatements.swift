import GRDB

/// The statements of the writer, prepared once for many transactions.
///
/// Belongs to the connection's queue: GRDB stops a use elsewhere. After a statement has failed SQLite does not take it
/// back to its beginning: all are prepared anew then.
final class WriteStatements {
    let insertTask: Statement
    let insertSpecification: Statement
    let insertLabel: Statement
    let life: Statement
    let updateTask: Statement
    let writeResult: Statement
    let deleteResult: Statement
    let deleteTask: Statement
    let writeMark: Statement
    let deleteMark: Statement
    let writeCookie: Statement
    let deleteCookie: Statement
    let probe: Statement

    /// Prepares all of them.
    init(_ db: Database) throws {
        insertTask = try db.makeStatement(
            sql: """
                INSERT INTO tasks (
                    id, session, kind, state, priority, created_at, updated_at, started_at, finished_at, expires_at,
                    revision, attempt_count, has_open_attempt
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
                """)
        insertSpecification = try db.makeStatement(sql: "INSERT INTO specifications VALUES (?, ?, ?, ?)")
        insertLabel = try db.makeStatement(sql: "INSERT INTO labels (number, key, value, id) VALUES (?, ?, ?, ?)")
        life = try db.makeStatement(
            sql: """
                SELECT number, revision, session, state, EXISTS (SELECT 1 FROM results r WHERE r.number = t.number)
                FROM tasks t INDEXED BY tasks_by_id WHERE id = ?
                """)
        updateTask = try db.makeStatement(
            sql: """
                UPDATE tasks SET
                    state = ?, priority = ?, updated_at = ?, started_at = ?, finished_at = ?, expires_at = ?,
                    revision = ?, attempt_count = ?, has_open_attempt = ?
                WHERE number = ?
                """)
        writeResult = try db.makeStatement(
            sql: "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        deleteResult = try db.makeStatement(sql: "DELETE FROM results WHERE number = ?")
        deleteTask = try db.makeStatement(sql: "DELETE FROM tasks WHERE number = ?")
        writeMark = try db.makeStatement(
            sql: """
                INSERT INTO session_marks (name, is_suspended, is_closed) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET is_suspended = excluded.is_suspended, is_closed = excluded.is_closed
                """)
        deleteMark = try db.makeStatement(sql: "DELETE FROM session_marks WHERE name = ?")
        writeCookie = try db.makeStatement(
            sql: """
                INSERT OR REPLACE INTO cookies (
                    session, domain, is_host_only, path, name, value, is_secure, is_http_only, expires_at,
                    creation_order, last_access_at
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        deleteCookie = try db.makeStatement(
            sql: """
                DELETE FROM cookies
                WHERE session = ? AND domain = ? AND is_host_only = ? AND path = ? AND name = ?
                """)
        probe = try db.makeStatement(
            sql: "INSERT INTO probes VALUES (1, 0) ON CONFLICT DO UPDATE SET parity = 1 - parity")
    }
}
