import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The order of tasks with the same ordering key in a session.
///
/// Unfinished tasks whose time has come take turns: the first one may run, and the others are *blocked*, which keeps
/// them out of the queue. When the task that has its turn ends, is removed or is postponed, the oldest of the others
/// gets the turn. So at most one task is not blocked, and exactly one if there is any.
///
/// A task that is damaged in what is read here takes no part: it must not keep the others from ending, and cannot get
/// the turn. If it had the turn, it is passed when the task is removed (``TaskWriting``).
struct OrderingKeys {
    private let statements: OrderingStatements

    init(_ statements: OrderingStatements) {
        self.statements = statements
    }

    /// Returns true if a task of the key already takes part, so that a new one is blocked.
    func isTaken(_ key: Data, session: String) throws -> Bool {
        try first(of: key, session: session) != nil
    }

    /// Gives the turn to the next task of a key, after the task that had it was removed.
    ///
    /// - Parameter unlessHeld: True if another task may have the turn: then it keeps it.
    /// - Returns: The unblocked task; `nil` if there is none.
    func release(_ key: Data, session: String, unlessHeld: Bool = false) throws -> TaskRelease? {
        if unlessHeld, try first(of: key, session: session, where: { !$0.isBlocked }) != nil { return nil }
        guard let next = try first(of: key, session: session) else { return nil }
        let release = TaskRelease(session: session, position: next.position, isQueued: next.state == .queued)
        try statements.unblock.execute(arguments: [release.isQueued ? release.position.rank : nil, next.number])
        return release
    }

    /// Returns the oldest task of a key that takes part and fulfills a condition.
    private func first(
        of key: Data, session: String, where isWanted: (KeyedTask) -> Bool = { _ in true }
    ) throws -> KeyedTask? {
        try statements.first.firstValue(binding: { arguments in
            arguments.bind(session)
            arguments.bind(key)
        }) { row in
            KeyedTask(row).flatMap { isWanted($0) ? $0 : nil }
        }
    }
}

/// A task that takes part in the turns of its ordering key.
private struct KeyedTask {
    let number: Int64
    let state: TaskState
    let isBlocked: Bool
    let position: QueuePosition

    /// The columns of ``OrderingStatements/first``.
    private enum Column: Int, StoreColumn {
        case number, id, state, isBlocked, priority, readyAt
    }

    /// Reads a row; returns `nil` if it is damaged.
    init?(_ row: ColumnReader) {
        guard let number = row.optional(Column.number, as: Int64.self), let id = row.validTaskID(Column.id),
            let state = row.optional(Column.state, as: String.self).flatMap({ TaskState(rawValue: $0) }),
            state.takesTurns, let priority = row.optional(Column.priority, as: Int.self),
            let readyAt = row.timestamp(Column.readyAt)
        else { return nil }
        self.number = number
        self.state = state
        isBlocked = row.optional(Column.isBlocked, as: Int64.self) != 0
        position = QueuePosition(priority: priority, readyAt: readyAt, id: id)
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
    /// Finds the tasks that take part, oldest first, of which usually the first one is read.
    ///
    /// Arguments: session, key.
    let first: WriterQuery
    /// Unblocks a task.
    ///
    /// Arguments: its position in the queue, if it is queued; its number.
    let unblock: Statement

    /// Prepares all statements.
    init(_ db: Database) throws {
        first = try WriterQuery(
            db,
            sql: """
                SELECT number, id, state, is_blocked, priority, coalesce(ready_at, created_at)
                FROM tasks INDEXED BY tasks_by_key
                WHERE session = ? AND ordering_key = ?
                AND state NOT IN ('scheduled', 'succeeded', 'failed', 'canceled')
                ORDER BY id
                """)
        unblock = try db.makeStatement(sql: "UPDATE tasks SET is_blocked = 0, rank = ? WHERE number = ?")
    }
}
