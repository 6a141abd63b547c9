package import HTTPTypes
import TaskStore

/// What becomes of a task whose attempt was under way when the process ended.
///
/// A pure rule.
enum Recovery {
    static func record(after record: TaskRecord, at now: Timestamp) -> TaskRecord {
        var life = TaskLifecycle(state: record.state)
        let mayResend = TaskDocuments.method(of: record.specification).isIdempotent
        guard life.handle(.attemptLost(mayResend: mayResend)) == .changed else { return record }
        var next = record.changed(to: life.state, at: now)
        let error = TaskErrorDocument.interrupted
        next.result.appendAttempt(
            AttemptDocument.lost(number: record.attemptCount, startedAt: record.updatedAt, error: error))
        switch life.state {
        case .canceled: next.result.error = TaskErrorDocument.canceled
        case .failed: next.result.error = error
        default: break
        }
        return next
    }
}

extension HTTPRequest.Method {
    /// Sending a request twice has the effect of sending it once (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
