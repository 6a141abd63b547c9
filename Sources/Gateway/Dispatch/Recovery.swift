import HTTPTypes
import TaskStore
import Transfer

/// What becomes of a task whose attempt was under way when the process ended.
///
/// A pure rule.
enum Recovery {
    static func record(after record: TaskRecord, at now: Timestamp) -> TaskRecord {
        var life = record.life
        let mayResend = TaskDocuments.method(of: record.specification).isIdempotent
        guard life.handle(.attemptLost(mayResend: mayResend)) == .changed else { return record }
        var next = record.changed(to: life, at: now)
        let error = TaskErrorDocument.interrupted
        // Of a later attempt no more is stored than the last change, which may be that it was suspended.
        let startedAt = record.attemptCount > 1 ? record.updatedAt : record.startedAt ?? record.updatedAt
        next.result.appendAttempt(
            AttemptDocument.lost(number: record.attemptCount, startedAt: startedAt, error: error))
        switch life.state {
        case .canceled: next.result.error = TaskErrorDocument.canceled
        case .failed: next.result.error = error
        default: break
        }
        return next
    }
}
