/// What a queued task waits for, as its `hold` says: live, and not stored.
package enum TaskHold: String, Sendable, Hashable, CaseIterable {
    /// The configuration has its session no more: it waits until it has again, or somebody cancels it.
    case sessionNotConfigured = "session_not_configured"
    /// An operator lets nothing of its session start.
    case sessionSuspended = "session_suspended"
    /// Its upstream cannot be reached (`reachability.hold_when_unreachable`).
    case unreachable
    /// Its upstream has failed too often (`circuit_breaker`): nothing is started, or only the attempt that finds out
    /// whether it is well again.
    case circuitOpen = "circuit_open"
    /// Its upstream has said how long it wants to be left alone (`Retry-After`, `RateLimit`).
    case retryAfter = "retry_after"
    /// All places of its session, or of the gateway, are taken.
    case concurrency
    /// Its session has started as many attempts as its rate allows.
    case rate
    /// An earlier task of its ordering key is not done.
    case ordering
}
