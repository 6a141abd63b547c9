/// Limits the lines of a log about one condition: the first occurrence, then at most one line in each ``interval``,
/// with the number of occurrences since the last.
///
/// A value without a clock.
package struct LogThrottle: Sendable, Hashable {
    /// The least time between two lines.
    package static let interval = Duration.seconds(60)

    /// The time of the last line.
    private var lastLine: ContinuousClock.Instant?
    private var unreported = 0

    /// Creates a throttle without occurrences.
    package init() {}

    /// Counts occurrences, and decides whether a line is due.
    ///
    /// - Parameters:
    ///   - times: The number of new occurrences; with none, a line may be due for earlier ones.
    ///   - now: The present.
    /// - Returns: The number of occurrences that the line reports; `nil` for no line.
    package mutating func occurred(_ times: Int = 1, at now: ContinuousClock.Instant) -> Int? {
        unreported += times
        guard unreported > 0, lastLine.map({ $0.duration(to: now) >= Self.interval }) ?? true else { return nil }
        defer { unreported = 0 }
        lastLine = now
        return unreported
    }
}
