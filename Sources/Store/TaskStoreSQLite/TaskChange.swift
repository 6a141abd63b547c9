import ErrandTaskStore
import ErrandTime

/// The extent of a change of a task: the columns that the update sets.
///
/// SQLite rewrites the entry of each index with a set column in its columns or in its condition, even if the value is
/// the same. So a column that keeps its value is not set if that saves entries. Partial indexes have an entry only for
/// rows that fulfill their condition, and cost nothing for the others:
///
/// | index of `tasks` | depends on | has an entry |
/// | --- | --- | --- |
/// | `tasks_by_state`, `tasks_by_session` | `state` | always |
/// | `tasks_by_deadline` | `state`, `deadline` | with a deadline, until it no longer matters |
/// | `tasks_by_key` | `state` | with an ordering key, while the task takes turns |
/// | `tasks_with_attempt` | `has_open_attempt` | during an attempt |
/// | `tasks_queued` | `rank` | in the queue |
/// | `tasks_due` | `due_at` | scheduled or between two attempts |
/// | `tasks_by_finish`, `tasks_by_expiry` | `finished_at`, `expires_at` | at the end |
/// | `tasks_by_id`, `tasks_by_kind`, `tasks_by_parent` | columns that never change | |
///
/// A new state changes the entries of almost all indexes that have one before or after it, so no more kinds of changes
/// are distinguished.
enum TaskChange: CaseIterable {
    /// A new state: from queued to running, for example.
    case state
    /// The same state with another value in an index: a new priority of a queued task, for example.
    case indexed
    /// The same values in all indexes: new labels, for example.
    case unindexed

    /// The columns in the order of the statement's arguments.
    ///
    /// One more argument follows: the number.
    var columns: [TaskColumn] {
        switch self {
        case .state: Self.all
        case .indexed: Self.withoutState
        case .unindexed: Self.withoutIndexes
        }
    }

    private static let withoutIndexes = TaskColumn.allCases.filter { $0.smallestChange == .unindexed }
    private static let withoutState = withoutIndexes + TaskColumn.allCases.filter { $0.smallestChange == .indexed }
    private static let all = withoutState + TaskColumn.allCases.filter { $0.smallestChange == .state }

    /// The statement of the update.
    var sql: String {
        "UPDATE tasks SET \(columns.map { "\($0.name) = ?" }.joined(separator: ", ")) WHERE number = ?"
    }

    /// Determines the extent of a change.
    ///
    /// - Parameters:
    ///   - stored: The task before the change.
    ///   - record: The task after it.
    ///   - isBlocked: The decision of the store for the ordering key.
    init(from stored: StoredTaskState, to record: TaskRecord, isBlocked: Bool) {
        guard stored.state == record.state else {
            self = .state
            return
        }
        let isSame =
            stored.hasOpenAttempt == record.hasOpenAttempt && stored.finishedAt == record.finishedAt
            && stored.expiresAt == record.expiresAt && stored.rank == record.rank(isBlocked: isBlocked)
            && stored.dueAt == record.dueAt && stored.deadline == record.deadline
        self = isSame ? .unindexed : .indexed
    }
}
