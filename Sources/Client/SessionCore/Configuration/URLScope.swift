/// The URLs that a session may request, relative to its base URL.
///
/// Checked after dot segments, including `%2e`, are removed.
public enum URLScope: String, Sendable, Hashable, CaseIterable {
    /// URLs below the path of the base URL.
    case base
    /// URLs with the scheme, host and port of the base URL.
    case origin
    /// All URLs. Credentials and the session's header fields are still sent only to the origin of the base URL.
    case any
}
