/// How far from a session's base URL its requests may go.
///
/// Judged after dot segments, `%2e` included, are removed.
public enum URLScope: String, Sendable, Hashable, CaseIterable {
    /// Below the path of the base URL.
    case base
    /// On the scheme, host and port of the base URL.
    case origin
    /// Anywhere. Credentials and the session's header fields stay on the origin all the same.
    case any
}
