import Configuration

/// A token that opens the gateway.
///
/// Only its digest is kept.
struct AccessToken: Sendable {
    /// The SHA-256 of the token, 32 bytes.
    let sha256: [UInt8]
    /// Who shows it.
    let caller: Caller
    /// Its rate; `nil` when it has none.
    let limiter: RateLimiter?

    /// The token of the configuration.
    ///
    /// - Parameter former: The tokens in force until now: one with the same name and rate goes on with what is left.
    init(_ token: AuthConfiguration.Token, replacing former: [AccessToken] = []) {
        sha256 = token.digest
        caller = Caller(tokenName: token.name, scopes: token.scopes, sessions: token.sessions.map { Set($0) })
        limiter = token.rate.map { rate in
            let known = former.first { $0.caller.tokenName == token.name }?.limiter
            return known?.rate == rate ? known ?? RateLimiter(rate) : RateLimiter(rate)
        }
    }
}
