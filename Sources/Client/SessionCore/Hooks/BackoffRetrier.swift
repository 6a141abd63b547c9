import ErrandTime

/// A retrier with growing pauses, which decides by a ``RetryRule``.
public struct BackoffRetrier: RequestRetrier {
    private let rule: RetryRule

    /// Creates a retrier with a rule.
    public init(_ rule: RetryRule) {
        self.rule = rule
    }

    /// Asks the rule, with a random number and the time of day.
    public func retry(after attempt: FailedAttempt) async -> RetryResult {
        let random = Double.random(in: 0...1)
        return switch rule.decide(after: attempt.ended, random: random, now: SystemClock.secondsSince1970()) {
        case .giveUp: .doNotRetry
        case .retry(let pause): .retryAfter(pause)
        }
    }
}

extension RequestRetrier where Self == BackoffRetrier {
    /// Returns a retrier with the numbers, pauses, methods and statuses of a configuration.
    public static func backoff(_ configuration: RetryConfiguration = RetryConfiguration()) -> Self {
        BackoffRetrier(RetryRule(configuration))
    }
}
