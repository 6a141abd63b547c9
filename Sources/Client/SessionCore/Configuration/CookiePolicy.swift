/// A session's handling of cookies.
public enum CookiePolicy: String, Sendable, Hashable, CaseIterable {
    /// Cookies are neither stored nor sent.
    case off
    /// Cookies are kept in memory while the session lives.
    case ephemeral
    /// Cookies with an expiry date are also kept in the session's storage.
    case persistent
}
