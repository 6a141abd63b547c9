public import HTTPTypes
import Transfer

/// What an attempt has come to, as far as it decides whether another is made.
public struct EndedAttempt: Sendable, Hashable {
    /// How many attempts of its task have been made, this one included.
    public var number: Int
    /// The time since the first of them began.
    public var elapsed: Duration
    /// The method of its request, before any redirect.
    public var method: HTTPRequest.Method
    /// Its request carries an `Idempotency-Key`, by which the upstream knows it when it comes again.
    public var carriesIdempotencyKey: Bool
    /// A part of the request was sent, so that the upstream may have done what it asks for.
    public var mayHaveArrived: Bool
    /// Why it failed; `nil` when it has not.
    public var error: SessionError?
    /// The status of its response, when one came.
    public var status: Int?
    /// The header fields of its response; empty when none came.
    public var headers: HTTPFields
    /// The response came from the origin that its session belongs to, and so speaks for it.
    public var isOwnUpstream: Bool

    /// Creates an attempt from its parts.
    public init(
        number: Int, elapsed: Duration = .zero, method: HTTPRequest.Method, carriesIdempotencyKey: Bool = false,
        mayHaveArrived: Bool = true, error: SessionError? = nil, status: Int? = nil, headers: HTTPFields = [:],
        isOwnUpstream: Bool = true
    ) {
        self.number = number
        self.elapsed = elapsed
        self.method = method
        self.carriesIdempotencyKey = carriesIdempotencyKey
        self.mayHaveArrived = mayHaveArrived
        self.error = error
        self.status = status
        self.headers = headers
        self.isOwnUpstream = isOwnUpstream
    }

    /// The attempt at a request that ended so.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - request: What it was made of.
    ///   - number: How many attempts of its task have been made, this one included.
    ///   - elapsed: The time since the first of them began.
    public init(_ outcome: SessionOutcome, of request: PreparedRequest, number: Int, elapsed: Duration) {
        let response = outcome.response
        self.init(
            number: number, elapsed: elapsed, method: request.method,
            carriesIdempotencyKey: request.carriesIdempotencyKey,
            mayHaveArrived: outcome.error?.mayHaveArrived == true || response != nil || outcome.metrics.bytesSent > 0,
            error: outcome.error, status: response?.head.status, headers: response?.head.headers ?? [:],
            isOwnUpstream: request.isAtHome && response?.url.isSameOrigin(as: request.transfer.url) ?? false)
    }
}
