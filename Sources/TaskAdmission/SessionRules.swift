package import SessionCore

/// What a session's configuration says of when its attempts start.
package struct SessionRules: Sendable, Hashable {
    /// How much it does at a time, and how often.
    package var limits: SessionLimits
    /// When it stops asking an upstream that only fails.
    package var circuitBreaker: CircuitBreakerConfiguration
    /// How many retries it may make.
    package var retryBudget: RetryConfiguration.Budget

    /// Creates rules from their parts; everything has the default of a session.
    package init(
        limits: SessionLimits = SessionLimits(),
        circuitBreaker: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        retryBudget: RetryConfiguration.Budget = RetryConfiguration.Budget()
    ) {
        self.limits = limits
        self.circuitBreaker = circuitBreaker
        self.retryBudget = retryBudget
    }

    /// The rules of a configuration.
    package init(_ configuration: SessionConfiguration) {
        self.init(
            limits: configuration.limits, circuitBreaker: configuration.circuitBreaker,
            retryBudget: configuration.retry.budget)
    }
}
