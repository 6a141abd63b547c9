/// The limits of a session.
///
/// A program that creates tasks itself limits their number and rate where it creates them.
public struct SessionLimits: Sendable, Hashable {
    /// The maximum number of tasks that the owner of a queue of tasks runs at once.
    ///
    /// Default: 32.
    package var concurrent: Int
    /// The maximum rate at which the owner of a queue starts attempts; `nil`, the default, for no limit.
    package var rate: StartRate?
    /// The maximum number of attempts that start at once after a pause; `nil` for the number that ``rate`` allows in a
    /// second, at least one.
    package var burst: Int?
    /// The maximum rate of all transfers of the session together, in each direction, in bytes per second; `nil`, the
    /// default, for no limit.
    public var bytesPerSecond: Int64?
    /// The maximum number of queued tasks; 0, the default, for no limit.
    package var maxQueued: Int

    /// Creates limits.
    public init(bytesPerSecond: Int64? = nil) {
        self.init(concurrent: 32, bytesPerSecond: bytesPerSecond)
    }

    /// Creates limits, with those of a queue of tasks.
    package init(
        concurrent: Int, rate: StartRate? = nil, burst: Int? = nil, bytesPerSecond: Int64? = nil,
        maxQueued: Int = 0
    ) {
        self.concurrent = concurrent
        self.rate = rate
        self.burst = burst
        self.bytesPerSecond = bytesPerSecond
        self.maxQueued = maxQueued
    }
}

/// A rate of starts.
package struct StartRate: Sendable, Hashable {
    /// The number of starts for each period, at least 1.
    package let count: Int
    /// The period, above zero.
    package let period: Duration

    /// Creates a rate; a count below 1 becomes 1, a period that is not above zero becomes a second.
    package init(_ count: Int, per period: Duration) {
        self.count = max(count, 1)
        self.period = period > .zero ? period : .seconds(1)
    }
}
