package import ErrandSessionCore
package import ErrandTransfer

/// The rules of a session's configuration for the start of attempts.
package struct SessionRules: Sendable, Hashable {
    /// The origin of the session's upstream; `nil` if its tasks go to several.
    package var origin: HTTPURL.Origin?
    /// The limits of concurrency and rate.
    package var limits: SessionLimits
    /// The conditions under which attempts to a failing upstream stop.
    package var circuitBreaker: CircuitBreakerConfiguration
    /// The budget of retries.
    package var retryBudget: RetryConfiguration.Budget
    /// The longest pause that the upstream can ask for; `nil` if the session pauses for no upstream.
    package var longestPause: Duration?

    /// Creates rules from their parts; each defaults to that of a session.
    package init(
        origin: HTTPURL.Origin? = nil, limits: SessionLimits = SessionLimits(),
        circuitBreaker: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        retryBudget: RetryConfiguration.Budget = RetryConfiguration.Budget(),
        longestPause: Duration? = RetryConfiguration.Backoff().max
    ) {
        self.origin = origin
        self.limits = limits
        self.circuitBreaker = circuitBreaker
        self.retryBudget = retryBudget
        self.longestPause = longestPause
    }

    /// The origin as text; empty if tasks go to several.
    var upstream: String { origin.map { "\($0)" } ?? "" }

    /// Creates the rules of a configuration.
    package init(_ configuration: SessionConfiguration) {
        let retry = configuration.retry
        self.init(
            origin: configuration.baseURL?.origin, limits: configuration.limits,
            circuitBreaker: configuration.circuitBreaker, retryBudget: retry.budget,
            longestPause: retry.respectsRetryAfter ? retry.backoff.max : nil)
    }
}
