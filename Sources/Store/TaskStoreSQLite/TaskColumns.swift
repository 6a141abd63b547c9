import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The written columns of `tasks`: their names, and a record's values in the same order.
enum TaskColumns {
    /// The columns that an update replaces.
    static let changeable = [
        "state", "priority", "updated_at", "started_at", "finished_at", "expires_at", "revision", "attempt_count",
        "has_open_attempt", "not_before", "next_attempt_at", "due_at", "rank", "ready_at", "deadline", "is_blocked",
        "bytes_per_second", "is_delayed",
    ]

    /// The columns that never change after the insertion.
    static let fixed = ["id", "session", "kind", "created_at", "ordering_key", "retry_of", "parent", "schedule"]

    /// Returns the values of ``changeable``.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - isBlocked: The decision of the store for the ordering key.
    static func changeable(_ record: TaskRecord, isBlocked: Bool) -> StatementArguments {
        let life: StatementArguments = [
            record.state.rawValue, record.priority, record.updatedAt.milliseconds, record.startedAt?.milliseconds,
            record.finishedAt?.milliseconds, record.expiresAt?.milliseconds, record.revision, record.attemptCount,
            record.hasOpenAttempt,
        ]
        // A position in the queue marks the task as part of the queue.
        let isQueued = record.state == .queued && !isBlocked
        // Most tasks are ready when they are created, so nothing is written for them.
        let readyAt = record.readyAt == record.createdAt ? nil : record.readyAt.milliseconds
        return life + [
            record.notBefore?.milliseconds, record.nextAttemptAt?.milliseconds, record.dueAt?.milliseconds,
            isQueued ? record.queuePosition.rank : nil, readyAt, record.deadline?.milliseconds,
            isBlocked, record.bytesPerSecond, record.isDelayed,
        ]
    }

    /// Returns the values of ``fixed``.
    static func fixed(_ record: TaskRecord) -> StatementArguments {
        [
            Data(record.id.bytes), record.session, record.kind.rawValue, record.createdAt.milliseconds,
            record.orderingKey.map { Data($0.utf8) }, record.retryOf.map { Data($0.bytes) },
            record.parent.map { Data($0.bytes) }, record.schedule,
        ]
    }
}
