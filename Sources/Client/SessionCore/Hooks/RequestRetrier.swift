/// A hook that decides whether a failed attempt is followed by another one.
///
/// Asked for the requests of tasks and of methods such as `get` and ``Session/data(for:)``, not for
/// ``Session/run(_:sink:control:)``, which makes one attempt; and not for canceled ones.
public protocol RequestRetrier: Sendable {
    /// Returns the decision after a failed attempt.
    ///
    /// Retriers are asked in their order until one decides something other than ``RetryResult/doNotRetry``. Canceling
    /// the request cancels the calling Swift task.
    func retry(after attempt: FailedAttempt) async -> RetryResult
}

/// The decision of a ``RequestRetrier``.
///
/// A request whose content comes from a source is sent again only if the source can be read again; otherwise the task
/// fails with the error of its last attempt, without a pause if its content is spent
/// (``EndedAttempt/hasSpentContent``).
public enum RetryResult: Sendable, Hashable {
    /// The request is sent again at once.
    case retry
    /// The request is sent again after a pause.
    case retryAfter(Duration)
    /// The next retrier decides; without one, the task fails with the error of the attempt.
    case doNotRetry
    /// The task fails with this error instead of that of the attempt.
    case fail(SessionError)
}
