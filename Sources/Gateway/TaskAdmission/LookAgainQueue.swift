/// A schedule for waiting tasks to try again: one after the other, none later than ``longest``, so that no task waits
/// long after it could start.
///
/// A value without a clock, and without a list: it stores only the last time it returned.
struct LookAgainQueue: Sendable, Hashable {
    /// The time between two tries.
    static let spacing = Duration.milliseconds(1)
    /// The maximum delay.
    static let longest = Duration.seconds(30)

    private var last: ContinuousClock.Instant?

    /// Returns the delay of the next task.
    ///
    /// - Parameter earliest: The minimum delay; limited to ``longest``.
    mutating func next(at now: ContinuousClock.Instant, notBefore earliest: Duration) -> Duration {
        let first = now.advanced(by: min(max(earliest, Self.spacing), Self.longest))
        var slot = max(first, last.map { $0.advanced(by: Self.spacing) } ?? first)
        // With more tasks than time slots, the next round begins.
        if now.duration(to: slot) > Self.longest { slot = first }
        last = slot
        return now.duration(to: slot)
    }
}
