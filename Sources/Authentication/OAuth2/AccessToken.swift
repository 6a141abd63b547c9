package import Transfer

/// A bearer token and the time it is good for.
package struct AccessToken: Sendable, Hashable {
    /// The token.
    package var value: String
    /// When it expires; `nil` when the server did not say.
    package var expiry: MonotonicInstant?
    /// From when on a new one is asked for, while this one still serves.
    package var renewal: MonotonicInstant?

    /// The longest time before its expiry that a token is renewed; a tenth of a short lifetime.
    package static let longestMargin = Duration.seconds(30)

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - lifetime: How long it is good; `nil` when nobody knows, which ends with a 401.
    ///   - requested: When it was asked for: the server's clock cannot have begun before.
    package init(_ value: String, lifetime: Duration?, requested: MonotonicInstant) {
        self.value = value
        guard let lifetime else { return }
        expiry = requested.advanced(by: lifetime)
        renewal = requested.advanced(by: lifetime - min(lifetime / 10, Self.longestMargin))
    }
}

extension AccessToken: RedactedReflection {
    /// Nothing of the token.
    package var description: String { "access token [redacted]" }
}
