import ErrandConfiguration
import ErrandTaskEngine

/// An access token of the gateway.
///
/// Only its digest is stored.
struct AccessToken: Sendable {
    /// The SHA-256 of the token, 32 bytes.
    let sha256: [UInt8]
    /// The caller that the token authenticates.
    let caller: Caller
    /// The rate limiter; `nil` for a token without a rate.
    let limiter: RateLimiter?

    /// Creates the token from its configuration.
    ///
    /// - Parameter former: The tokens in force; one with the same name and rate passes on its rate limiter.
    init(_ token: AuthConfiguration.Token, replacing former: [AccessToken] = []) {
        sha256 = token.digest
        caller = token.caller
        limiter = token.rate.map { rate in
            let known = former.first { $0.caller.tokenName == token.name }?.limiter
            return known?.rate == rate ? known ?? RateLimiter(rate) : RateLimiter(rate)
        }
    }
}
