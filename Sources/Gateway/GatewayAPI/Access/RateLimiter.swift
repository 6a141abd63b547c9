import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSettings
import ErrandTime
import HTTPTypes

/// A rate limiter for the requests of one token.
///
/// A token bucket: allows a burst of the size of the rate, then refills at the rate. A reload keeps the limiter of a
/// token with an unchanged rate, so that a reload does not reset it. Any thread.
final class RateLimiter: Sendable {
    /// The rate of the token.
    let rate: Rate
    private let bucket: Mutex<TokenBucket>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a limiter with its full budget.
    init(_ rate: Rate, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.rate = rate
        self.now = now
        bucket = Mutex(TokenBucket(rate.count, per: rate.per, at: now()))
    }

    /// Counts a request.
    ///
    /// - Throws: ``AccessRefusal/rateExceeded(retryAfterSeconds:)`` when the budget is empty; such a request is not
    ///   counted.
    func take() throws(AccessRefusal) {
        let now = now()
        let wait = bucket.withLock { $0.take(at: now) ? nil : $0.timeUntilNext(at: now) }
        guard let wait else { return }
        throw .rateExceeded(retryAfterSeconds: Int(max(wait.wholeSecondsRoundedUp, 1)))
    }

    /// Counts additional units of a request, such as the items of a batch after the first.
    ///
    /// May overdraw the budget: later requests wait until it is refilled.
    func charge(_ more: Int) {
        let now = now()
        bucket.withLock { $0.spend(more, at: now) }
    }

    /// Adds the rate and the remaining budget to a response (draft-ietf-httpapi-ratelimit-headers-09): `q` requests per
    /// `w` seconds, `r` left now, full again in `t` seconds.
    func describing(_ response: ServerResponse) -> ServerResponse {
        let now = now()
        let (remaining, wait) = bucket.withLock { ($0.remaining(at: now), $0.timeUntilFull(at: now)) }
        var response = response
        response.headers[.rateLimitPolicy] = #""default";q=\#(rate.count);w=\#(rate.per.wholeSecondsRoundedUp)"#
        response.headers[.rateLimit] = #""default";r=\#(remaining);t=\#(wait.wholeSecondsRoundedUp)"#
        return response
    }
}
