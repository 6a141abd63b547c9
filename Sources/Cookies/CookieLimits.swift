/// How many cookies a jar keeps.
///
/// Beyond that, those are evicted which have not been sent or stored for the longest time; of those with the same
/// domain, the ones that are not `Secure` first (draft-ietf-httpbis-rfc6265bis §5.7).
public struct CookieLimits: Sendable, Hashable {
    /// Cookies with the same domain; 50 unless told, which RFC 6265 §6.1 asks for at least.
    public var maxPerDomain: Int
    /// Cookies of all domains; 3000 unless told, which RFC 6265 §6.1 asks for at least.
    public var maxTotal: Int

    /// Creates limits.
    ///
    /// With 0, or less, nothing is kept.
    public init(maxPerDomain: Int = 50, maxTotal: Int = 3000) {
        self.maxPerDomain = maxPerDomain
        self.maxTotal = maxTotal
    }
}
