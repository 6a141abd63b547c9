/// A response to which an attempt has sent a further request, without secrets.
public enum FollowedHop: Sendable, Hashable {
    /// A redirect.
    case redirect(FollowedRedirect)
    /// An authentication challenge.
    case challenge(FollowedChallenge)
}

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

/// An authentication challenge that an attempt answered, without secrets.
public struct FollowedChallenge: Sendable, Hashable {
    /// The URL that challenged.
    public var url: String
    /// The authentication schemes that it offered, in lower case and in its order: at most the first eight, each cut
    /// after 64 characters.
    public var schemes: [String]

    /// Creates a challenge from its parts.
    ///
    /// - Parameters:
    ///   - url: The URL that challenged.
    ///   - schemes: The authentication schemes that it offered, in lower case.
    public init(url: String, schemes: [String]) {
        self.url = url
        self.schemes = schemes
    }
}
