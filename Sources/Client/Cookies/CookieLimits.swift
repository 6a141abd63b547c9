/// The limits on the number of cookies in a jar.
///
/// Above a limit, the least recently used cookie is evicted; within a domain, those without `Secure` go first
/// (draft-ietf-httpbis-rfc6265bis §5.7).
public struct CookieLimits: Sendable, Hashable {
    /// The maximum number of cookies of one domain; default 50, the minimum that RFC 6265 §6.1 asks for.
    public var maxPerDomain: Int
    /// The maximum number of cookies of all domains; default 3000, the minimum that RFC 6265 §6.1 asks for.
    public var maxTotal: Int

    /// Creates limits.
    ///
    /// With 0 or less, no cookies are kept.
    public init(maxPerDomain: Int = 50, maxTotal: Int = 3000) {
        self.maxPerDomain = maxPerDomain
        self.maxTotal = maxTotal
    }
}
