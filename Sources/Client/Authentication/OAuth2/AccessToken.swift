package import ErrandTransfer

/// A bearer token and its validity.
package struct AccessToken: Sendable, Hashable {
    /// The token.
    package var value: String
    /// The time at which it expires; `nil` if the server did not tell.
    package var expiry: MonotonicInstant?
    /// The time from which a new token is requested, while this one is still used.
    package var renewal: MonotonicInstant?

    /// The longest time before expiry at which a token is renewed; for short lifetimes it is a tenth.
    package static let longestMargin = Duration.seconds(30)

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime; `nil` if unknown, in which case a 401 reveals the expiry.
    ///   - requested: The time of the request: the lifetime cannot have started earlier on the server.
    package init(_ value: String, lifetime: Duration?, requested: MonotonicInstant) {
        self.value = value
        guard let lifetime else { return }
        expiry = requested.advanced(by: lifetime)
        renewal = requested.advanced(by: lifetime - min(lifetime / 10, Self.longestMargin))
    }
}

extension AccessToken: RedactedReflection {
    /// A fixed text, without the token.
    package var description: String { "access token [redacted]" }
}
