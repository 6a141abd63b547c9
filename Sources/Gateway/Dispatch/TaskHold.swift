/// What a queued task waits for, as its `hold` says: live, and not stored.
package enum TaskHold: String, Sendable, Hashable, CaseIterable {
    /// The configuration has its session no more: it waits until it has again, or somebody cancels it.
    case sessionNotConfigured = "session_not_configured"
    /// An operator lets nothing of its session start.
    case sessionSuspended = "session_suspended"
    /// Its upstream cannot be reached (`reachability.hold_when_unreachable`).
    case unreachable
    /// All places of its session, or of the gateway, are taken.
    case concurrency
}
