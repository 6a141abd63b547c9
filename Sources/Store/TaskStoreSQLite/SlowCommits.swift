import ErrandLogs

/// The decision which slow transactions are logged: the first one, and then one line for all of a minute.
///
/// A value without a clock. Creates and the ends of tasks wait for transactions.
struct SlowCommits: Sendable, Hashable {
    /// The shortest time of a transaction that is slow.
    static let limit = Duration.seconds(1)

    /// A line of the log.
    struct Report: Sendable, Hashable {
        /// The number of slow transactions since the last line.
        var count: Int
        /// The duration of the slowest transaction.
        var longest: Duration
    }

    private var lines = LogThrottle()
    /// The duration of the slowest transaction since the last line.
    private var longest = Duration.zero

    /// Records the time that a transaction took, fast or slow.
    ///
    /// - Parameter now: The time of its end.
    /// - Returns: The line to be logged; `nil` for none.
    mutating func note(_ duration: Duration, at now: ContinuousClock.Instant) -> Report? {
        let isSlow = duration >= Self.limit
        if isSlow { longest = max(longest, duration) }
        guard let count = lines.occurred(isSlow ? 1 : 0, at: now) else { return nil }
        defer { longest = .zero }
        return Report(count: count, longest: longest)
    }
}
