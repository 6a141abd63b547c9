import HTTPTypes
import SessionCore
import TaskStore
import Transfer

/// What becomes of a task whose attempt was under way when the process ended.
///
/// A pure rule: whether the request has arrived, nobody knows.
struct Recovery: Sendable {
    /// When attempts are made again: the session's configuration, as it is for the task.
    var retry: RetryConfiguration
    /// What is added to a task that ends with it.
    var completion = TaskCompletion()

    /// The change to be stored; `nil` when nothing was under way.
    func update(after record: TaskRecord, at now: Timestamp) -> TaskUpdate? {
        var life = record.life
        guard life.handle(.attemptLost(mayResend: mayResend(record))) == .changed else { return nil }
        var next = record.changed(to: life, at: now)
        let error = TaskErrorDocument.interrupted
        // Of a later attempt no more is stored than the last change, which may be that it was suspended.
        let startedAt = record.attemptCount > 1 ? record.updatedAt : record.startedAt ?? record.updatedAt
        next.result.appendAttempt(
            AttemptDocument.lost(number: record.attemptCount, startedAt: startedAt, error: error))
        switch life.state {
        case .canceled: next.result.error = TaskErrorDocument.canceled
        case .failed: next.result.error = error
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling, .succeeded: break
        }
        var update = TaskUpdate(next, expecting: record.revision)
        completion.complete(&update, at: now)
        return update
    }

    /// Whether the request may be sent again.
    private func mayResend(_ record: TaskRecord) -> Bool {
        // Deliveries arrive at least once, and say themselves which message they are.
        if record.kind == .callback { return true }
        guard record.attemptCount < retry.maxAttempts else { return false }
        return switch retry.afterCrash {
        case .fail: false
        case .resend: true
        case .safe:
            retry.methods.contains(TaskDocuments.method(of: record.specification))
                || TaskDocuments.carriesIdempotencyKey(record.specification)
        }
    }
}
