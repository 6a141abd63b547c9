/// How much a session does at a time.
public struct SessionLimits: Sendable, Hashable {
    /// The most tasks that run at once.
    ///
    /// Default: 32.
    public var concurrent: Int
    /// How often an attempt may start; `nil`, the default, for any number.
    public var rate: StartRate?
    /// How many attempts may start at once after a pause; `nil` for as many as ``rate`` lets start in a second, at least
    /// one.
    public var burst: Int?
    /// The most that all transfers of the session move together, in each direction, in bytes for each second; `nil`, the
    /// default, for as much as goes.
    public var bytesPerSecond: Int64?
    /// The most tasks that wait for their turn; 0, the default, for any number.
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

/// How often something may start.
public struct StartRate: Sendable, Hashable {
    /// How often, at least 1.
    public let count: Int
    /// In what time, above zero.
    public let period: Duration

    /// Creates a rate; a count below 1 is taken for 1, a period that is not above zero for a second.
    public init(_ count: Int, per period: Duration) {
        self.count = max(count, 1)
        self.period = period > .zero ? period : .seconds(1)
    }
}
