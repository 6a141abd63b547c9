import FoundationEssentials
import GRDB
import TaskStore

/// The columns of `tasks`, as they are written: their names, and a record's values in the same order.
enum TaskColumns {
    /// What an update replaces.
    static let changeable = [
        "state", "priority", "updated_at", "started_at", "finished_at", "expires_at", "revision", "attempt_count",
        "has_open_attempt", "not_before", "next_attempt_at", "due_at", "rank", "ready_at", "deadline", "is_blocked",
        "bytes_per_second",
    ]

    /// What stays as it was inserted.
    static let fixed = ["id", "session", "kind", "created_at", "ordering_key", "retry_of", "parent", "schedule"]

    /// The values of ``changeable``.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - isBlocked: What the store has decided of its ordering key.
    static func changeable(_ record: TaskRecord, isBlocked: Bool) -> StatementArguments {
        let life: StatementArguments = [
            record.state.rawValue, record.priority, record.updatedAt.milliseconds, record.startedAt?.milliseconds,
            record.finishedAt?.milliseconds, record.expiresAt?.milliseconds, record.revision, record.attemptCount,
            record.hasOpenAttempt,
        ]
        // Its place in the queue says that it is there.
        let isQueued = record.state == .queued && !isBlocked
        // Most tasks are ready from their creation on: nothing is written for them.
        let readyAt = record.readyAt == record.createdAt ? nil : record.readyAt.milliseconds
        return life + [
            record.notBefore?.milliseconds, record.nextAttemptAt?.milliseconds, record.dueAt?.milliseconds,
            isQueued ? record.queuePosition.rank : nil, readyAt, record.deadline?.milliseconds,
            isBlocked, record.bytesPerSecond,
        ]
    }

    /// The values of ``fixed``.
    static func fixed(_ record: TaskRecord) -> StatementArguments {
        [
            Data(record.id.bytes), record.session, record.kind.rawValue, record.createdAt.milliseconds,
            record.orderingKey.map { Data($0.utf8) }, record.retryOf.map { Data($0.bytes) },
            record.parent.map { Data($0.bytes) }, record.schedule,
        ]
    }
}
