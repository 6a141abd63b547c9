import ErrandConfiguration
import ErrandTaskStore
import ErrandTime

/// The additions to a task that has ended: its retention time, and the callbacks about its end.
struct TaskCompletion: Sendable {
    /// The retention times of tasks that have ended.
    var retention = RetentionConfiguration()
    /// Creates the callbacks.
    var callbacks = CallbackDeliveries()

    /// Returns the time from which an ended task may be removed; `nil` for never.
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

    /// Adds the expiry and the callbacks to a change that ends its task; no-op for any other change.
    ///
    /// - Parameter now: The time of the change.
    func complete(_ update: inout TaskUpdate, at now: Timestamp) {
        guard update.record.state.isTerminal else { return }
        let expiry = expiry(of: update.record)
        update.record.change { $0.expiresAt = expiry }
        update.children = callbacks.deliveries(of: update.record, at: now)
    }
}
