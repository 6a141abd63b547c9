import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

extension TaskReading {
    /// Returns the tasks whose time has come, earliest first.
    func due(at now: Timestamp, after last: TaskMoment?, limit: Int) throws -> [TaskMoment] {
        try moments(
            """
            SELECT due_at, id FROM tasks INDEXED BY tasks_due
            WHERE due_at <= ? AND (due_at, id) > (?, ?) ORDER BY due_at, id
            """,
            until: now, after: last, limit: limit)
    }

    /// Returns the tasks that have passed their deadline and can still fail by it, earliest first.
    func overdue(at now: Timestamp, after last: TaskMoment?, limit: Int) throws -> [TaskMoment] {
        try moments(
            """
            SELECT deadline, id FROM tasks INDEXED BY tasks_by_deadline
            WHERE deadline <= ? AND (deadline, id) > (?, ?)
            AND state NOT IN ('canceling', 'succeeded', 'failed', 'canceled')
            ORDER BY deadline, id
            """,
            until: now, after: last, limit: limit)
    }

    /// Returns the tasks whose retention has expired, earliest first.
    func expired(at now: Timestamp, after last: TaskMoment?, limit: Int) throws -> [TaskMoment] {
        try moments(
            """
            SELECT expires_at, id FROM tasks INDEXED BY tasks_by_expiry
            WHERE expires_at <= ? AND (expires_at, id) > (?, ?) ORDER BY expires_at, id
            """,
            until: now, after: last, limit: limit)
    }

    /// Returns the finished tasks, earliest first.
    func finished(after last: TaskMoment?, limit: Int) throws -> [TaskMoment] {
        try moments(
            """
            SELECT finished_at, id FROM tasks INDEXED BY tasks_by_finish
            WHERE finished_at <= ? AND (finished_at, id) > (?, ?) ORDER BY finished_at, id
            """,
            until: .latest, after: last, limit: limit)
    }

    /// Returns a page of tasks with their moments.
    ///
    /// - Parameter sql: A statement with the arguments: the latest moment, the position after which to read.
    private func moments(
        _ sql: String, until now: Timestamp, after last: TaskMoment?, limit: Int
    ) throws -> [TaskMoment] {
        let position = (moment: last?.moment.milliseconds ?? .min, id: last?.id.blob ?? Data())
        return try page(
            sql, [now.milliseconds, position.moment, position.id], limit: limit, column: 1
        ) { row, id in
            TaskMoment(moment: Timestamp(milliseconds: row[0]), id: id)
        }
    }
}
