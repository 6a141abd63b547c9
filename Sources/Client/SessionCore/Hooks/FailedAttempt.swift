public import ErrandAuthentication
public import ErrandTransfer
import HTTPTypes

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

    /// The number of attempts so far, including this one, but not those with ``SessionOutcome/mayRestart``.
    public var number: Int { ended.number }
}

extension FailedAttempt {
    /// Creates an attempt, for tests of a retrier.
    ///
    /// The properties by which a ``RetryRule`` decides are those of the request, the response and the error.
    ///
    /// - Parameters:
    ///   - request: The last request of the attempt.
    ///   - response: The response. Default: `nil`, none was received.
    ///   - error: The error.
    ///   - number: The number of attempts so far, including this one. Default: 1.
    ///   - elapsed: The time since the first attempt began. Default: none.
    public init(
        request: TransferRequest, response: SessionResponse? = nil, error: SessionError, number: Int = 1,
        elapsed: Duration = .zero
    ) {
        self.init(
            request: request, response: response, error: error,
            ended: EndedAttempt(
                number: number, elapsed: elapsed, method: request.method,
                carriesIdempotencyKey: request.headers.contains(.idempotencyKey),
                mayHaveArrived: error.mayHaveArrived || response != nil, error: error, status: response?.status,
                headers: response?.headers ?? [:]))
    }
}

extension FailedAttempt: RedactedReflection {
    /// The number of the attempt and its error.
    public var description: String { "attempt \(number): \(error)" }
}
