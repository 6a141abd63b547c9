/// Which redirects a session follows.
public struct RedirectPolicy: Sendable, Hashable {
    /// Where redirects may lead.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Anywhere. Credentials and the session's header fields stay on the origin.
        case follow
        /// On the scheme, host and port of the URL that redirects.
        case sameOrigin = "same_origin"
        /// Nowhere: the redirect is the response, and an error unless its status is acceptable.
        case refuse
    }

    /// Where redirects may lead.
    ///
    /// Default: anywhere.
    public var mode: Mode
    /// The most redirects of one attempt.
    ///
    /// Default: 16.
    public var limit: Int
    /// Whether a POST stays a POST after a 301 or 302, as after a 307 or 308.
    ///
    /// Default: no, it becomes a GET, as everywhere on the web (RFC 9110 §15.4.2).
    public var keepsMethodOn301And302: Bool

    /// Creates a policy.
    public init(mode: Mode = .follow, limit: Int = 16, keepsMethodOn301And302: Bool = false) {
        self.mode = mode
        self.limit = limit
        self.keepsMethodOn301And302 = keepsMethodOn301And302
    }
}
