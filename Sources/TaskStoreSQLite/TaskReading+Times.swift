import GRDB
import TaskStore

extension TaskReading {
    /// Tasks that a time has come for, first due first.
    func due(at now: Timestamp, limit: Int) throws -> [TaskID] {
        try ids(
            "SELECT id FROM tasks INDEXED BY tasks_due WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
            [now.milliseconds, limit])
    }

    /// Tasks that can still fail by their deadline and should have, first passed first.
    func overdue(at now: Timestamp, limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_deadline
            WHERE deadline <= ? AND state NOT IN ('canceling', 'succeeded', 'failed', 'canceled')
            ORDER BY deadline, id LIMIT ?
            """,
            [now.milliseconds, limit])
    }

    /// When the first task is due, or passes its deadline.
    func nextAlarm() throws -> Timestamp? {
        let due = try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT due_at FROM tasks INDEXED BY tasks_due WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"))
        let deadline = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT deadline FROM tasks INDEXED BY tasks_by_deadline
                    WHERE deadline IS NOT NULL AND state NOT IN ('canceling', 'succeeded', 'failed', 'canceled')
                    ORDER BY deadline LIMIT 1
                    """))
        return [due, deadline].compactMap(\.self).min().map { Timestamp(milliseconds: $0) }
    }

    /// Tasks whose time in the store is over, first expired first.
    func expired(at now: Timestamp, limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_expiry WHERE expires_at <= ? ORDER BY expires_at, id LIMIT ?
            """,
            [now.milliseconds, limit])
    }

    /// Tasks that are over, first finished first.
    func finished(limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_finish
            WHERE finished_at IS NOT NULL ORDER BY finished_at, id LIMIT ?
            """,
            [limit])
    }
}
