/// The decision which slow transactions are logged: the first one, and then one line for all of an ``interval``.
///
/// A value without a clock. Creates and the ends of tasks wait for transactions.
struct SlowCommits: Sendable, Hashable {
    /// The shortest time of a transaction that is slow.
    static let limit = Duration.seconds(1)
    /// The least time between two lines.
    static let interval = Duration.seconds(60)

    /// A line of the log.
    struct Report: Sendable, Hashable {
        /// The number of slow transactions since the last line.
        var count: Int
        /// The duration of the slowest transaction.
        var longest: Duration
    }

    /// The time of the last line.
    private var reportedAt: ContinuousClock.Instant?
    private var unreported = Report(count: 0, longest: .zero)

    /// Records the time that a transaction took, fast or slow.
    ///
    /// - Parameter now: The time of its end.
    /// - Returns: The line to be logged; `nil` for none.
    mutating func note(_ duration: Duration, at now: ContinuousClock.Instant) -> Report? {
        if duration >= Self.limit {
            unreported.count += 1
            unreported.longest = max(unreported.longest, duration)
        }
        guard unreported.count > 0, reportedAt.map({ $0.duration(to: now) >= Self.interval }) ?? true else {
            return nil
        }
        defer { unreported = Report(count: 0, longest: .zero) }
        reportedAt = now
        return unreported
    }
}
