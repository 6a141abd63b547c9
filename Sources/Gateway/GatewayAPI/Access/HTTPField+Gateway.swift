package import HTTPTypes

extension HTTPField.Name {
    /// `X-Request-Id`: identifies a request in responses and logs.
    package static let requestID = known("X-Request-Id")
    /// `Host`, which swift-http-types stores separately as the authority.
    static let host = known("Host")
    /// `Sec-Fetch-Site` (W3C Fetch Metadata).
    static let fetchSite = known("Sec-Fetch-Site")
    /// `Access-Control-Request-Method`: the header of a CORS preflight (WHATWG Fetch).
    static let corsRequestMethod = known("Access-Control-Request-Method")
    /// `Access-Control-Allow-Origin` (WHATWG Fetch).
    static let corsAllowOrigin = known("Access-Control-Allow-Origin")
    /// `Access-Control-Allow-Methods` (WHATWG Fetch).
    static let corsAllowMethods = known("Access-Control-Allow-Methods")
    /// `Access-Control-Allow-Headers` (WHATWG Fetch).
    static let corsAllowHeaders = known("Access-Control-Allow-Headers")
    /// `Access-Control-Expose-Headers` (WHATWG Fetch).
    static let corsExposeHeaders = known("Access-Control-Expose-Headers")
    /// `Access-Control-Max-Age` (WHATWG Fetch).
    static let corsMaxAge = known("Access-Control-Max-Age")
    /// `Prefer` (RFC 7240 §2).
    static let prefer = known("Prefer")
    /// `Preference-Applied` (RFC 7240 §3).
    static let preferenceApplied = known("Preference-Applied")
    /// `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
    static let rateLimit = known("RateLimit")
    /// `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
    static let rateLimitPolicy = known("RateLimit-Policy")
    /// `Last-Event-ID` (WHATWG HTML §9.2.4).
    static let lastEventID = known("Last-Event-ID")
    /// `X-Accel-Buffering`: tells nginx whether it may buffer the response.
    static let accelBuffering = known("X-Accel-Buffering")
    /// `Content-Security-Policy` (W3C).
    static let securityPolicy = known("Content-Security-Policy")
    /// `X-Content-Type-Options` (WHATWG Fetch).
    static let contentTypeOptions = known("X-Content-Type-Options")
    /// `Idempotent-Replayed`: marks the response of an earlier request with the same key.
    static let idempotentReplayed = known("Idempotent-Replayed")
    /// `Accept-Patch` (RFC 5789 §3.1).
    static let acceptPatch = known("Accept-Patch")

    /// Returns a name written in this file; a test checks that each is a valid token.
    private static func known(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .from
    }
}
