/// The reason for which a queued task waits, reported as its `hold`; determined live, and not stored.
package enum WaitReason: String, Sendable, Hashable, CaseIterable {
    /// Its session is no longer configured: it waits until the session is configured again or the task is canceled.
    case sessionNotConfigured = "session_not_configured"
    /// An operator suspended its session.
    case sessionSuspended = "session_suspended"
    /// The disk has less free space than `files.min_free`.
    case diskFull = "disk_full"
    /// Its upstream is unreachable (`reachability.hold_when_unreachable`).
    case unreachable
    /// Its upstream failed too often (`circuit_breaker`): no attempt starts, except a probe that checks for recovery.
    case circuitOpen = "circuit_open"
    /// Its upstream asked for a pause (`Retry-After`, `RateLimit`).
    case retryAfter = "retry_after"
    /// All slots of its session or of the gateway are taken.
    case concurrency
    /// The rate limit of its session is reached.
    case rate
    /// An earlier task with the same ordering key is unfinished.
    case ordering
}
