/// What a session does with cookies.
public enum CookiePolicy: String, Sendable, Hashable, CaseIterable {
    /// None are kept or sent.
    case off
    /// They are kept in memory, as long as the session lives.
    case ephemeral
    /// Those with a date of expiry are kept by the session's storage too.
    case persistent
}
