import Configuration
import TaskStore

/// What is added to a task that has reached its end: how long it is kept, and the deliveries that its end asks for.
struct TaskCompletion: Sendable {
    /// How long tasks are kept that are done.
    var retention = RetentionConfiguration()
    /// Makes the deliveries.
    var callbacks = CallbackDeliveries()

    /// When a task may be removed that has ended; `nil` for never.
    func expiry(of record: TaskRecord) -> Timestamp? {
        let kept: Duration? =
            switch record.state {
            case .succeeded: retention.succeeded
            case .failed: retention.failed
            case .canceled: retention.canceled
            case .scheduled, .queued, .running, .waiting, .suspended, .canceling: nil
            }
        return kept.flatMap { kept in record.finishedAt?.adding(kept) }
    }

    /// Completes a change, if it ends its task.
    ///
    /// - Parameter now: When that happens.
    func complete(_ update: inout TaskUpdate, at now: Timestamp) {
        guard update.record.state.isTerminal else { return }
        update.record.expiresAt = expiry(of: update.record)
        update.children = callbacks.deliveries(of: update.record, at: now)
    }
}
