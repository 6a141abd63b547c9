/// The decision after an attempt.
public enum RetryDecision: Sendable, Hashable {
    /// The task is not retried.
    ///
    /// The reason is `nil` if there is nothing to retry: the attempt succeeded, or its error is final.
    case giveUp(NoRetryReason?)
    /// The task is retried after this pause.
    case retry(after: Duration)
}

/// The reason for which a task was not retried, although a later attempt might have succeeded.
///
/// The raw values are stable for programs.
public enum NoRetryReason: String, Sendable, Hashable, CaseIterable {
    /// The request may have arrived, its method is not in ``RetryConfiguration/methods``, and it has no
    /// `Idempotency-Key`; or a part of its content was taken, which can be read only once.
    case mayHaveArrived = "may_have_arrived"
    /// The status of the response is not in ``RetryConfiguration/statuses``.
    case status
    /// The last of the ``RetryConfiguration/maxAttempts`` attempts was made.
    case attempts
    /// The next attempt would begin after ``RetryConfiguration/maxElapsed``.
    case time
    /// The next attempt would begin after the deadline of the task.
    ///
    /// Used only by the gateway.
    case deadline
    /// The process ended during the attempt, and the task is not to be sent again then.
    ///
    /// Used only by the gateway.
    case afterCrash = "after_crash"
}
