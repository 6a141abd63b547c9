import ErrandSessionCore
import ErrandTaskStore
import ErrandTime

/// The rule for a task whose attempt was under way when the process ended.
///
/// Pure. It is unknown whether the request has arrived.
struct Recovery: Sendable {
    /// The retry configuration of the session, with the task's own settings applied.
    var retry: RetryConfiguration
    /// The retention time and callbacks added if the task ends.
    var completion = TaskCompletion()

    /// Returns the change to be stored; `nil` if no attempt was under way.
    func update(after record: TaskRecord, at now: Timestamp) -> TaskUpdate? {
        var life = record.life
        let mayResend = record.kind.handler.mayResend(record, under: retry)
        guard life.handle(.attemptLost(mayResend: mayResend)) == .changed else { return nil }
        var next = record.values.changed(to: life, at: now)
        let error = TaskErrorDocument.interrupted
        // The start of a later attempt is not stored; the last change is the nearest time, and may be a suspension.
        let startedAt = record.attemptCount > 1 ? record.updatedAt : record.startedAt ?? record.updatedAt
        next.result.appendAttempt(
            AttemptDocument.lost(
                number: record.attemptCount, span: record.spanID, startedAt: startedAt, error: error))
        switch life.state {
        case .canceled: next.result.error = TaskErrorDocument.canceled
        case .failed: next.result.error = TaskErrorDocument.interrupted(notRetried: reason(for: record))
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling, .succeeded: next.useUpRunNow(at: now)
        }
        var update = TaskUpdate(TaskRecord(next), expecting: record.revision)
        completion.complete(&update, at: now)
        return update
    }

    /// The reason for which a task is not sent again.
    private func reason(for record: TaskRecord) -> NoRetryReason {
        if record.attemptCount >= retry.maxAttempts { return .attempts }
        return retry.afterCrash == .fail ? .afterCrash : .mayHaveArrived
    }
}
