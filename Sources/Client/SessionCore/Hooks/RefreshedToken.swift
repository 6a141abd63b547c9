public import ErrandAuthentication

/// A bearer token that a ``TokenRefresher`` sends.
public struct RefreshedToken: Sendable, Hashable {
    /// The token; white space around it is not sent.
    public var value: String
    /// The time for which it is valid, from the moment at which it was requested; `nil` if a 401 tells of its end.
    public var lifetime: Duration?

    /// Creates a token; without a lifetime by default.
    public init(_ value: String, lifetime: Duration? = nil) {
        self.value = value
        self.lifetime = lifetime
    }
}

extension RefreshedToken: RedactedReflection {
    /// A fixed text, without the token.
    public var description: String { "token [redacted]" }
}
