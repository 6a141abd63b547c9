import ErrandTaskStore
import ErrandTime
import GRDB

extension TaskReading {
    /// Returns the tasks whose time has come, earliest first.
    func due(at now: Timestamp, limit: Int) throws -> [TaskID] {
        try ids(
            "SELECT id FROM tasks INDEXED BY tasks_due WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
            [now.milliseconds, limit])
    }

    /// Returns the tasks that have passed their deadline and can still fail by it, earliest first.
    func overdue(at now: Timestamp, limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_deadline
            WHERE deadline <= ? AND state NOT IN ('canceling', 'succeeded', 'failed', 'canceled')
            ORDER BY deadline, id LIMIT ?
            """,
            [now.milliseconds, limit])
    }

    /// Returns the time at which the first task is due, or passes its deadline.
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

    /// Returns the tasks whose retention has expired, earliest first.
    func expired(at now: Timestamp, limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_expiry WHERE expires_at <= ? ORDER BY expires_at, id LIMIT ?
            """,
            [now.milliseconds, limit])
    }

    /// Returns the finished tasks, earliest first.
    func finished(limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_finish
            WHERE finished_at IS NOT NULL ORDER BY finished_at, id LIMIT ?
            """,
            [limit])
    }
}
