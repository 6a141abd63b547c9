import ErrandTaskStore
import ErrandTime
import GRDB

/// The columns of `tasks` without its `number`: their names, their order, their values in a record, and the updates
/// that set them.
enum TaskColumn: Int, StoreColumn {
    case id, session, kind, createdAt, orderingKey, retryOf, parent, schedule, trace
    case priority, updatedAt, startedAt, revision, attemptCount, notBefore, nextAttemptAt, readyAt, bytesPerSecond
    case isBlocked, isDelayed, content, keepsPartialFile, clockOffset
    case state, hasOpenAttempt, finishedAt, expiresAt, rank, dueAt, deadline
    case retriedBy

    /// The columns that an insertion writes.
    static let inserted = allCases.filter { $0 != .retriedBy }

    /// The smallest change of a task that sets the column, which depends on its indexes; `nil` if no change sets it.
    var smallestChange: TaskChange? {
        switch self {
        case .id, .session, .kind, .createdAt, .orderingKey, .retryOf, .parent, .schedule, .trace: nil
        case .priority, .updatedAt, .startedAt, .revision, .attemptCount, .notBefore, .nextAttemptAt, .readyAt,
            .bytesPerSecond, .isBlocked, .isDelayed, .content, .keepsPartialFile, .clockOffset:
            .unindexed
        case .hasOpenAttempt, .finishedAt, .expiresAt, .rank, .dueAt, .deadline: .indexed
        case .state: .state
        // The store sets it with a statement of its own, when it adds a repetition.
        case .retriedBy: nil
        }
    }

    /// Binds the value of the column.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - isBlocked: The decision of the store for the ordering key.
    ///   - arguments: The arguments of a statement.
    func bind(_ record: TaskRecord, isBlocked: Bool, to arguments: inout ArgumentBinder) {
        switch self {
        case .id: arguments.bind(record.id)
        case .session: arguments.bind(record.session)
        case .kind: arguments.bind(record.kind.rawValue)
        case .createdAt: arguments.bind(record.createdAt.milliseconds)
        case .orderingKey: arguments.bind(utf8: record.orderingKey)
        case .retryOf: arguments.bind(record.retryOf)
        case .parent: arguments.bind(record.parent)
        case .schedule: arguments.bind(record.schedule)
        case .trace: arguments.bind(record.trace?.bytes)
        case .priority: arguments.bind(record.priority)
        case .updatedAt: arguments.bind(record.updatedAt.milliseconds)
        case .startedAt: arguments.bind(record.startedAt?.milliseconds)
        case .revision: arguments.bind(record.revision)
        case .attemptCount: arguments.bind(record.attemptCount)
        case .notBefore: arguments.bind(record.notBefore?.milliseconds)
        case .nextAttemptAt: arguments.bind(record.nextAttemptAt?.milliseconds)
        case .readyAt: arguments.bind(record.storedReadyAt)
        case .bytesPerSecond: arguments.bind(record.bytesPerSecond)
        case .isBlocked: arguments.bind(isBlocked)
        case .isDelayed: arguments.bind(record.isDelayed)
        case .content: arguments.bind(record.content?.blob)
        case .keepsPartialFile: arguments.bind(record.keepsPartialFile)
        case .clockOffset: arguments.bind(record.clockOffset.wholeMilliseconds)
        case .state: arguments.bind(record.state.rawValue)
        case .hasOpenAttempt: arguments.bind(record.hasOpenAttempt)
        case .finishedAt: arguments.bind(record.finishedAt?.milliseconds)
        case .expiresAt: arguments.bind(record.expiresAt?.milliseconds)
        case .rank: arguments.bind(record.rank(isBlocked: isBlocked))
        case .dueAt: arguments.bind(record.dueAt?.milliseconds)
        case .deadline: arguments.bind(record.deadline?.milliseconds)
        case .retriedBy: arguments.bind(record.retriedBy)
        }
    }
}

extension TaskRecord {
    /// The value of `ready_at`: null for most tasks, which are ready when they are created.
    fileprivate var storedReadyAt: Int64? {
        readyAt == createdAt ? nil : readyAt.milliseconds
    }

    /// The position in the queue, which marks the task as part of it; `nil` if it is not.
    func rank(isBlocked: Bool) -> Int64? {
        state == .queued && !isBlocked ? queuePosition.rank : nil
    }
}
