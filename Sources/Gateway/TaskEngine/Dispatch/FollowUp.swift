import ErrandSessionCore
import ErrandTaskStore
import ErrandTime

/// The consequence of an ended attempt for its task.
enum FollowUp: Sendable, Hashable {
    /// Another attempt follows after a pause.
    ///
    /// It is a duration, and not the moment of its end: that is worked out by the step that stores it, with the clock of
    /// the step. The clock may be set in between.
    case attempt(after: Duration)
    /// No attempt follows; the reason is `nil` if the attempt succeeded, or its error is final.
    case end(NoRetryReason?)

    /// Applies the deadline of a task to the decision of its retry rule.
    ///
    /// - Parameters:
    ///   - decision: The decision of the rule.
    ///   - record: The task as it is now.
    ///   - now: The end of the attempt.
    init(_ decision: RetryDecision, of record: TaskRecord, at now: Timestamp) {
        switch decision {
        case .giveUp(let reason):
            self = .end(reason)
        case .retry(let pause):
            // A retry that could not begin before the deadline is not waited for.
            self = record.isOverdue(at: now.adding(pause)) ? .end(.deadline) : .attempt(after: pause)
        }
    }
}

extension AttemptResult {
    /// Records the consequence of the attempt: the pause before the next one, or the reason in the error of the task.
    ///
    /// - Parameters:
    ///   - next: The consequence.
    ///   - error: The error of the attempt.
    mutating func follow(_ next: FollowUp, after error: SessionError?) {
        switch next {
        case .attempt(let pause):
            retryPause = pause
        case .end(let reason?):
            self.error = error.map { TaskErrorDocument.bytes(of: $0, notRetried: reason) }
        case .end(nil):
            break
        }
    }
}
