import FoundationEssentials
import GRDB
import TaskStore

/// Whose turn it is among the tasks of a session with the same ordering key.
///
/// Those whose time has come and that are not over take turns: the first to come is let through, each other one is
/// *blocked*, which keeps it out of the queue. When the one that has the turn is over, gone or put off to a later time,
/// the oldest of the others has it. So at most one is not blocked, and as long as there is any, one is.
struct OrderingKeys {
    private let statements: OrderingStatements

    init(_ statements: OrderingStatements) {
        self.statements = statements
    }

    /// Whether a task of the key takes part already, so that one that joins is blocked.
    func isTaken(_ key: Data, session: String) throws -> Bool {
        try Row.fetchCursor(statements.first, arguments: [session, key]).next() != nil
    }

    /// Gives the turn to the next of a key, after the task that had it was taken away.
    ///
    /// - Returns: The one that has it now, `nil` when there is none.
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
    /// Whether a task with an ordering key takes part in the turns of its key.
    ///
    /// Said in the index `tasks_by_key`, too.
    var takesTurns: Bool { !isTerminal && self != .scheduled }
}

/// The statements of ordering keys.
final class OrderingStatements {
    /// The oldest task that takes part.
    ///
    /// Arguments: session, key.
    let first: Statement
    /// Lets a task through.
    ///
    /// Arguments: its place in the queue, if it is in there; the number.
    let unblock: Statement

    /// Prepares all of them.
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
