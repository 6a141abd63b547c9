/// The redirects that a session follows.
public struct RedirectPolicy: Sendable, Hashable {
    /// The allowed targets of redirects.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Any target.
        ///
        /// Credentials and the session's header fields are sent only to the session's origin, and fields of a request
        /// whose names tell that they carry a secret, such as `X-Api-Key`, only to the origin of the request.
        case follow
        /// Targets with the scheme, host and port of the redirecting URL.
        case sameOrigin = "same_origin"
        /// None: the redirect is the response, and an error unless its status is acceptable.
        case refuse
    }

    /// The allowed targets of redirects.
    ///
    /// Default: any.
    public var mode: Mode
    /// The maximum number of redirects of one attempt.
    ///
    /// Default: 16.
    public var limit: Int
    /// True if a POST remains a POST after a 301 or 302, as after a 307 or 308.
    ///
    /// Default: false, it becomes a GET, as in all browsers (RFC 9110 §15.4.2).
    public var keepsMethodOn301And302: Bool

    /// Creates a policy.
    public init(mode: Mode = .follow, limit: Int = 16, keepsMethodOn301And302: Bool = false) {
        self.mode = mode
        self.limit = limit
        self.keepsMethodOn301And302 = keepsMethodOn301And302
    }
}
