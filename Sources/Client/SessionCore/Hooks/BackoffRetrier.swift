import ErrandTime

/// A retrier with growing pauses, which decides by a ``RetryRule``.
///
/// If the upstream asks for a longer wait (`Retry-After`, `RateLimit`) than the longest of the growing pauses
/// (``RetryConfiguration/Backoff/max``), the request is not sent again: its caller gets the error with the response, in
/// which the field is.
public struct BackoffRetrier: RequestRetrier {
    private let rule: RetryRule

    /// Creates a retrier with a rule.
    public init(_ rule: RetryRule) {
        self.rule = rule
    }

    /// Asks the rule, with a random number and the time of day.
    public func retry(after attempt: FailedAttempt) async -> RetryResult {
        let now = SystemClock.secondsSince1970()
        if rule.isExceeded(byWishOf: attempt.ended, now: now) { return .doNotRetry }
        return switch rule.decide(after: attempt.ended, random: Double.random(in: 0...1), now: now) {
        case .giveUp: .doNotRetry
        case .retry(let pause): .retryAfter(pause)
        }
    }
}

extension RequestRetrier where Self == BackoffRetrier {
    /// Returns a retrier with the numbers, pauses, methods and statuses of a configuration.
    ///
    /// - Parameter configuration: Default: ``RetryConfiguration/forCalls``, with pauses of at most a minute.
    public static func backoff(_ configuration: RetryConfiguration = .forCalls) -> Self {
        BackoffRetrier(RetryRule(configuration))
    }
}

extension RetryRule {
    /// Returns true if the upstream asks for a longer wait than the longest of growing pauses.
    fileprivate func isExceeded(byWishOf attempt: EndedAttempt, now: Int64) -> Bool {
        guard respectsRetryAfter, case .growing(let backoff, _) = pauses,
            let wish = RateLimitHint(attempt.headers, now: now).pause
        else { return false }
        return min(wish, longestWish ?? wish) > backoff.max
    }
}
