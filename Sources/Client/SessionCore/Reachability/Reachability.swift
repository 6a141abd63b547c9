/// The reachability of a session's upstream.
public enum Reachability: String, Sendable, Hashable, CaseIterable {
    /// Nothing is known yet.
    case unknown
    /// The upstream has responded.
    case reachable
    /// No connection could be established.
    case notReachable = "not_reachable"
}
