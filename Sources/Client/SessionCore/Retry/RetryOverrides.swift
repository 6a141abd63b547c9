package import HTTPTypes

/// Retry settings of one task that replace its session's, each unless it is `nil`.
///
/// The session's budget cannot be replaced: it protects the upstream from all tasks together.
package struct RetryOverrides: Sendable, Hashable {
    /// The maximum number of attempts; see ``RetryConfiguration/maxAttempts``.
    package var maxAttempts: Int?
    /// The back-off settings.
    package var backoff: Backoff
    /// See ``RetryConfiguration/maxElapsed``.
    package var maxElapsed: Duration?
    /// See ``RetryConfiguration/methods``.
    package var methods: [HTTPRequest.Method]?
    /// See ``RetryConfiguration/statuses``.
    package var statuses: StatusSet?
    /// See ``RetryConfiguration/respectsRetryAfter``.
    package var respectsRetryAfter: Bool?
    /// See ``RetryConfiguration/afterCrash``.
    package var afterCrash: RetryConfiguration.AfterCrash?

    /// Back-off settings, each of which replaces the session's unless it is `nil`.
    package struct Backoff: Sendable, Hashable {
        /// See ``RetryConfiguration/Backoff/initial``.
        package var initial: Duration?
        /// See ``RetryConfiguration/Backoff/multiplier``.
        package var multiplier: Double?
        /// See ``RetryConfiguration/Backoff/max``.
        package var max: Duration?
        /// See ``RetryConfiguration/Backoff/jitter``.
        package var jitter: Double?

        /// Creates settings that replace nothing.
        package init() {}
    }

    /// Creates overrides that replace nothing.
    package init() {
        backoff = Backoff()
    }

    /// Returns a session's configuration with these overrides.
    package func applied(to configuration: RetryConfiguration) -> RetryConfiguration {
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
