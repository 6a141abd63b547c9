public import HTTPTypes

/// What one task wants otherwise than its session, of when it is tried again: each part where it is not `nil`.
///
/// The session's budget is not among it: it protects the upstream from all tasks together.
public struct RetryOverrides: Sendable, Hashable {
    /// The most attempts; see ``RetryConfiguration/maxAttempts``.
    public var maxAttempts: Int?
    /// The pauses, each part by itself.
    public var backoff: Backoff
    /// See ``RetryConfiguration/maxElapsed``.
    public var maxElapsed: Duration?
    /// See ``RetryConfiguration/methods``.
    public var methods: [HTTPRequest.Method]?
    /// See ``RetryConfiguration/statuses``.
    public var statuses: StatusSet?
    /// See ``RetryConfiguration/respectsRetryAfter``.
    public var respectsRetryAfter: Bool?
    /// See ``RetryConfiguration/afterCrash``.
    public var afterCrash: RetryConfiguration.AfterCrash?

    /// The parts of a back-off, each where it is not `nil`.
    public struct Backoff: Sendable, Hashable {
        /// See ``RetryConfiguration/Backoff/initial``.
        public var initial: Duration?
        /// See ``RetryConfiguration/Backoff/multiplier``.
        public var multiplier: Double?
        /// See ``RetryConfiguration/Backoff/max``.
        public var max: Duration?
        /// See ``RetryConfiguration/Backoff/jitter``.
        public var jitter: Double?

        /// Creates parts that leave everything as it is.
        public init() {}
    }

    /// Creates overrides that leave everything as it is.
    public init() {
        backoff = Backoff()
    }

    /// A session's configuration as it is for the task.
    public func applied(to configuration: RetryConfiguration) -> RetryConfiguration {
        var result = configuration
        result.maxAttempts = maxAttempts ?? configuration.maxAttempts
        result.backoff.initial = backoff.initial ?? configuration.backoff.initial
        result.backoff.multiplier = backoff.multiplier ?? configuration.backoff.multiplier
        result.backoff.max = backoff.max ?? configuration.backoff.max
        result.backoff.jitter = backoff.jitter ?? configuration.backoff.jitter
        result.maxElapsed = maxElapsed ?? configuration.maxElapsed
        result.methods = methods ?? configuration.methods
        result.statuses = statuses ?? configuration.statuses
        result.respectsRetryAfter = respectsRetryAfter ?? configuration.respectsRetryAfter
        result.afterCrash = afterCrash ?? configuration.afterCrash
        return result
    }
}
