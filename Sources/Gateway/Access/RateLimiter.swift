import Configuration
import HTTPServer
import HTTPTypes
import Locking
import SessionCore

/// Counts the requests of one token against its rate.
///
/// As many as the rate names may come at once, then one whenever one more fits. A reload keeps the limiter of a token
/// whose rate has not changed, so that reloading gives nobody a fresh budget. Any thread.
final class RateLimiter: Sendable {
    /// The rate of the token.
    let rate: Rate
    private let bucket: Mutex<TokenBucket>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// A limiter that nothing was taken from.
    init(_ rate: Rate, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.rate = rate
        self.now = now
        bucket = Mutex(TokenBucket(rate.count, per: rate.per, at: now()))
    }

    /// Counts a request.
    ///
    /// - Throws: ``AccessRefusal/rateExceeded(retryAfterSeconds:)`` when it is one too many, and is not counted.
    func take() throws(AccessRefusal) {
        let now = now()
        let wait = bucket.withLock { $0.take(at: now) ? nil : $0.timeUntilNext(at: now) }
        guard let wait else { return }
        throw .rateExceeded(retryAfterSeconds: max(wait.secondsRoundedUp, 1))
    }

    /// The answer with what is left of the rate when it is given (draft-ietf-httpapi-ratelimit-headers-09): `q` requests
    /// in `w` seconds, of which `r` can be made at once; all of them in `t` seconds.
    func describing(_ response: ServerResponse) -> ServerResponse {
        let now = now()
        let (remaining, wait) = bucket.withLock { ($0.remaining(at: now), $0.timeUntilFull(at: now)) }
        var response = response
        response.headers[.rateLimitPolicy] = #""default";q=\#(rate.count);w=\#(rate.per.secondsRoundedUp)"#
        response.headers[.rateLimit] = #""default";r=\#(remaining);t=\#(wait.secondsRoundedUp)"#
        return response
    }
}

extension Duration {
    /// Seconds, rounded up.
    var secondsRoundedUp: Int {
        Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0)
    }
}
