import ErrandConfiguration

/// The longest of the retention times that were in force since the start of the process.
///
/// The time at which something expires is worked out once, with the retention time of that moment: after a reload with
/// shorter times, what was stored before keeps its time.
struct LongestRetention: Sendable, Hashable {
    /// The longest time of tasks and idempotency keys.
    private(set) var ofAll: Duration
    /// The longest time of idempotency keys.
    private(set) var ofKeys: Duration

    /// Creates the times of a start.
    init(_ retention: RetentionConfiguration) {
        ofAll = retention.longest
        ofKeys = retention.idempotencyKeys
    }

    /// Includes the times of a reload; one without a limit shortens nothing.
    mutating func include(_ retention: RetentionConfiguration) {
        ofAll = max(ofAll, retention.longest)
        ofKeys = max(ofKeys, retention.idempotencyKeys)
    }
}
