/// Whether the upstream of a session can be reached.
public enum Reachability: String, Sendable, Hashable, CaseIterable {
    /// Nothing has been tried.
    case unknown
    /// It has answered.
    case reachable
    /// No connection could be made.
    case notReachable = "not_reachable"
}
