/// What a queued task waits for, as its `hold` says: live, and not stored.
package enum TaskHold: String, Sendable, Hashable, CaseIterable {
    /// An operator lets nothing of its session start.
    case sessionSuspended = "session_suspended"
    /// Its upstream cannot be reached (`reachability.hold_when_unreachable`).
    case unreachable
    /// All places of its session, or of the gateway, are taken.
    case concurrency
}
