/// A redirect that an attempt has followed, without secrets.
public struct FollowedRedirect: Sendable, Hashable {
    /// The status of the answer that has redirected.
    public var status: Int
    /// The URL that has answered so.
    public var from: String
    /// The URL that was asked next.
    public var to: String

    /// Creates a redirect from its parts.
    public init(status: Int, from: String, to: String) {
        self.status = status
        self.from = from
        self.to = to
    }
}
