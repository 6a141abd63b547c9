/// The limits on concurrent tasks, start rate and bandwidth of a session.
public struct SessionLimits: Sendable, Hashable {
    /// The maximum number of tasks that run at once.
    ///
    /// Default: 32.
    public var concurrent: Int
    /// The maximum rate at which attempts start; `nil`, the default, for no limit.
    public var rate: StartRate?
    /// The maximum number of attempts that start at once after a pause; `nil` for the number that ``rate`` allows in a
    /// second, at least one.
    public var burst: Int?
    /// The maximum rate of all transfers of the session together, in each direction, in bytes per second; `nil`, the
    /// default, for no limit.
    public var bytesPerSecond: Int64?
    /// The maximum number of queued tasks; 0, the default, for no limit.
    public var maxQueued: Int

    /// Creates limits.
    public init(
        concurrent: Int = 32, rate: StartRate? = nil, burst: Int? = nil, bytesPerSecond: Int64? = nil,
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
public struct StartRate: Sendable, Hashable {
    /// The number of starts for each period, at least 1.
    public let count: Int
    /// The period, above zero.
    public let period: Duration

    /// Creates a rate; a count below 1 becomes 1, a period that is not above zero becomes a second.
    public init(_ count: Int, per period: Duration) {
        self.count = max(count, 1)
        self.period = period > .zero ? period : .seconds(1)
    }
}
