import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The order of tasks with the same ordering key in a session.
///
/// Unfinished tasks whose time has come take turns: the first one may run, and the others are *blocked*, which keeps
/// them out of the queue. When the task that has its turn ends, is removed or is postponed, the oldest of the others
/// gets the turn. So at most one task is not blocked, and exactly one if there is any.
struct OrderingKeys {
    private let statements: OrderingStatements

    init(_ statements: OrderingStatements) {
        self.statements = statements
    }

    /// Returns true if a task of the key already takes part, so that a new one is blocked.
    func isTaken(_ key: Data, session: String) throws -> Bool {
        try Row.fetchCursor(statements.first, arguments: [session, key]).next() != nil
    }

    /// Gives the turn to the next task of a key, after the task that had it was removed.
    ///
    /// - Returns: The unblocked task; `nil` if there is none.
    func release(_ key: Data, session: String) throws -> TaskRelease? {
        guard let row = try Row.fetchOne(statements.first, arguments: [session, key]) else { return nil }
        guard let id = TaskID(bytes: row[1] as Data) else { throw TaskStoreError.badRow("id") }
        guard let state = TaskState(rawValue: row[2]) else { throw TaskStoreError.badRow("state") }
        let release = TaskRelease(
            session: session,
            position: QueuePosition(priority: row[3], readyAt: Timestamp(milliseconds: row[4]), id: id),
            isQueued: state == .queued)
        try statements.unblock.execute(
            arguments: [release.isQueued ? release.position.rank : nil, row[0] as Int64])
        return release
    }
}

extension TaskState {
    /// True if a task with an ordering key takes part in the turns of its key.
    ///
    /// The index `tasks_by_key` has the same condition.
    var takesTurns: Bool { !isTerminal && self != .scheduled }
}

/// The statements of ordering keys.
final class OrderingStatements {
    /// Finds the oldest task that takes part.
    ///
    /// Arguments: session, key.
    let first: Statement
    /// Unblocks a task.
    ///
    /// Arguments: its position in the queue, if it is queued; its number.
    let unblock: Statement

    /// Prepares all statements.
    init(_ db: Database) throws {
        first = try db.makeStatement(
            sql: """
                SELECT number, id, state, priority, coalesce(ready_at, created_at)
                FROM tasks INDEXED BY tasks_by_key
                WHERE session = ? AND ordering_key = ?
                AND state NOT IN ('scheduled', 'succeeded', 'failed', 'canceled')
                ORDER BY id LIMIT 1
                """)
        unblock = try db.makeStatement(sql: "UPDATE tasks SET is_blocked = 0, rank = ? WHERE number = ?")
    }
}
