public import ErrandAuthentication
public import ErrandTransfer

/// A failed attempt, as a ``RequestRetrier`` sees it.
public struct FailedAttempt: Sendable {
    /// The last request of the attempt, as the adapters and redirects made it; without the session's cookies and
    /// credentials.
    ///
    /// It may contain secrets.
    public let request: TransferRequest
    /// The response, as far as it was received; `nil` without one.
    public let response: SessionResponse?
    /// The error.
    public let error: SessionError
    /// The number of the attempt and the properties by which a ``RetryRule`` decides.
    public let ended: EndedAttempt

    /// The number of attempts so far, including this one, but not those repeated only because of a suspension.
    public var number: Int { ended.number }
}

extension FailedAttempt: RedactedReflection {
    /// The number of the attempt and its error.
    public var description: String { "attempt \(number): \(error)" }
}
