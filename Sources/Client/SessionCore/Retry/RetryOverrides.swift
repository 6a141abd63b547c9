public import HTTPTypes

/// Retry settings of one task that replace its session's, each unless it is `nil`.
///
/// The session's budget cannot be replaced: it protects the upstream from all tasks together.
public struct RetryOverrides: Sendable, Hashable {
    /// The maximum number of attempts; see ``RetryConfiguration/maxAttempts``.
    public var maxAttempts: Int?
    /// The back-off settings.
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

    /// Back-off settings, each of which replaces the session's unless it is `nil`.
    public struct Backoff: Sendable, Hashable {
        /// See ``RetryConfiguration/Backoff/initial``.
        public var initial: Duration?
        /// See ``RetryConfiguration/Backoff/multiplier``.
        public var multiplier: Double?
        /// See ``RetryConfiguration/Backoff/max``.
        public var max: Duration?
        /// See ``RetryConfiguration/Backoff/jitter``.
        public var jitter: Double?

        /// Creates settings that replace nothing.
        public init() {}
    }

    /// Creates overrides that replace nothing.
    public init() {
        backoff = Backoff()
    }

    /// Returns a session's configuration with these overrides.
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
