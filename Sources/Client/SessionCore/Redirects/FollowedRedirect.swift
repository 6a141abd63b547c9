/// A redirect that an attempt followed, without secrets.
public struct FollowedRedirect: Sendable, Hashable {
    /// The status of the redirect.
    public var status: Int
    /// The URL that redirected.
    public var from: String
    /// The target URL.
    public var to: String

    /// Creates a redirect from its parts.
    public init(status: Int, from: String, to: String) {
        self.status = status
        self.from = from
        self.to = to
    }
}
