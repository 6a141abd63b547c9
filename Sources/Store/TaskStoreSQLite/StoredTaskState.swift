import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The stored state of a task that a write needs.
struct StoredTaskState {
    let number: Int64
    let revision: Int64
    let session: String
    let kind: TaskKind
    let state: TaskState
    let hasOpenAttempt: Bool
    let attemptCount: Int
    let parent: TaskID?
    /// The ordering key, in UTF-8.
    let orderingKey: Data?
    let isBlocked: Bool
    let hasResult: Bool
    let createdAt: Timestamp
    let finishedAt: Timestamp?

    /// The statement that reads the state.
    ///
    /// Argument: the identifier.
    static let sql = """
        SELECT
            number, revision, session, kind, state, has_open_attempt, attempt_count, parent, ordering_key, is_blocked,
            EXISTS (SELECT 1 FROM results r WHERE r.number = t.number), created_at, finished_at
        FROM tasks t INDEXED BY tasks_by_id WHERE id = ?
        """

    /// Reads a row of ``sql``.
    init(_ row: Row) throws {
        number = row[0]
        revision = row[1]
        session = row[2]
        kind = try row.taskKind(3)
        state = try row.taskState(4)
        hasOpenAttempt = try row.flag(5, "has_open_attempt")
        attemptCount = row[6]
        parent = try row.optionalTaskID(7, "parent")
        orderingKey = row[8]
        isBlocked = try row.flag(9, "is_blocked")
        hasResult = row[10]
        createdAt = Timestamp(milliseconds: row[11])
        finishedAt = row.timestamp(12)
    }

    /// True if the other tasks of its ordering key wait for this one.
    var hasTurn: Bool { orderingKey != nil && state.takesTurns && !isBlocked }
}
