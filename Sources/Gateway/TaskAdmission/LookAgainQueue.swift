/// A schedule for waiting tasks to try again: one after the other, none later than ``longest`` or that long after a
/// known time, so that no task waits long after it could start.
///
/// A value without a clock, and without a list: it stores only the last time it returned.
struct LookAgainQueue: Sendable, Hashable {
    /// The time between two tries.
    static let spacing = Duration.milliseconds(1)
    /// The maximum delay, or the maximum delay after a known time.
    static let longest = Duration.seconds(30)

    private var last: ContinuousClock.Instant?

    /// Returns the delay of the next task.
    ///
    /// - Parameter earliest: The minimum delay; limited to ``longest``.
    mutating func next(at now: ContinuousClock.Instant, notBefore earliest: Duration) -> Duration {
        let first = now.advanced(by: min(max(earliest, Self.spacing), Self.longest))
        return now.duration(to: slot(from: first, to: now.advanced(by: Self.longest)))
    }

    /// Returns the delay of the next task that cannot start before `end`, however late that is.
    mutating func next(at now: ContinuousClock.Instant, notBefore end: ContinuousClock.Instant) -> Duration {
        let first = max(end, now.advanced(by: Self.spacing))
        return now.duration(to: slot(from: first, to: first.advanced(by: Self.longest)))
    }

    private mutating func slot(
        from first: ContinuousClock.Instant, to latest: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        var slot = max(first, last.map { $0.advanced(by: Self.spacing) } ?? first)
        // With more tasks than time slots, the next round begins.
        if slot > latest { slot = first }
        last = slot
        return slot
    }
}
