package import ErrandSessionCore

/// The rules of a session's configuration for the start of attempts.
package struct SessionRules: Sendable, Hashable {
    /// The limits of concurrency and rate.
    package var limits: SessionLimits
    /// The conditions under which attempts to a failing upstream stop.
    package var circuitBreaker: CircuitBreakerConfiguration
    /// The budget of retries.
    package var retryBudget: RetryConfiguration.Budget

    /// Creates rules from their parts; each defaults to that of a session.
    package init(
        limits: SessionLimits = SessionLimits(),
        circuitBreaker: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        retryBudget: RetryConfiguration.Budget = RetryConfiguration.Budget()
    ) {
        self.limits = limits
        self.circuitBreaker = circuitBreaker
        self.retryBudget = retryBudget
    }

    /// Creates the rules of a configuration.
    package init(_ configuration: SessionConfiguration) {
        self.init(
            limits: configuration.limits, circuitBreaker: configuration.circuitBreaker,
            retryBudget: configuration.retry.budget)
    }
}
