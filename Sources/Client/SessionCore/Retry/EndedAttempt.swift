import ErrandTransfer
public import HTTPTypes

/// The properties of an ended attempt that decide about a retry.
public struct EndedAttempt: Sendable, Hashable {
    /// The number of attempts of the task so far, including this one.
    public var number: Int
    /// The time since the first attempt began.
    public var elapsed: Duration
    /// The method of the request, before any redirect and any change of a hook.
    public var method: HTTPRequest.Method
    /// The methods that hooks have chosen instead, before or after redirects; empty without such hooks.
    public var methodsOfHooks: Set<HTTPRequest.Method>
    /// True if the request has an `Idempotency-Key`, with which the upstream recognizes a repetition, and no hook has
    /// changed or removed it.
    public var carriesIdempotencyKey: Bool
    /// True if a part of the request was sent, so that the upstream may have processed it.
    public var mayHaveArrived: Bool
    /// True if the content of the request cannot be sent again, because it could be read only once.
    public var hasSpentContent: Bool
    /// The error; `nil` for success.
    public var error: SessionError?
    /// The status of the response, if one was received.
    public var status: Int?
    /// The header fields of the response; empty without one.
    public var headers: HTTPFields
    /// True if the response came from the session's own origin, and so applies to the whole session.
    public var isOwnUpstream: Bool
    /// True if the connection was closed while the task was suspended, which says nothing about the upstream.
    package var wasLostToSuspension = false

    /// Creates an attempt from its parts.
    public init(
        number: Int, elapsed: Duration = .zero, method: HTTPRequest.Method,
        methodsOfHooks: Set<HTTPRequest.Method> = [], carriesIdempotencyKey: Bool = false,
        mayHaveArrived: Bool = true, hasSpentContent: Bool = false, error: SessionError? = nil, status: Int? = nil,
        headers: HTTPFields = [:],
        isOwnUpstream: Bool = true
    ) {
        self.number = number
        self.elapsed = elapsed
        self.method = method
        self.methodsOfHooks = methodsOfHooks
        self.carriesIdempotencyKey = carriesIdempotencyKey
        self.mayHaveArrived = mayHaveArrived
        self.hasSpentContent = hasSpentContent
        self.error = error
        self.status = status
        self.headers = headers
        self.isOwnUpstream = isOwnUpstream
    }

    /// Creates the ended attempt of a request from its outcome.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the attempt.
    ///   - request: The request.
    ///   - number: The number of attempts of the task so far, including this one.
    ///   - elapsed: The time since the first attempt began.
    public init(_ outcome: SessionOutcome, of request: PreparedRequest, number: Int, elapsed: Duration) {
        let response = outcome.response
        let hooked = outcome.sent?.hooked ?? HookedRequests()
        self.init(
            number: number, elapsed: elapsed, method: request.method, methodsOfHooks: hooked.methods,
            carriesIdempotencyKey: request.carriesIdempotencyKey && hooked.keepIdempotencyKey,
            mayHaveArrived: outcome.error?.mayHaveArrived == true || response != nil || outcome.metrics.bytesSent > 0,
            hasSpentContent: request.hasSpentContent, error: outcome.error, status: response?.head.status,
            headers: response?.head.headers ?? [:],
            isOwnUpstream: request.isOwnOrigin && response?.url.isSameOrigin(as: request.transfer.url) ?? false)
        wasLostToSuspension = outcome.wasLostToSuspension
    }
}

extension PreparedRequest {
    /// True if the content cannot be sent again, because it could be read only once.
    public var hasSpentContent: Bool {
        if case .source(let source) = transfer.body { source.isSpent } else { false }
    }
}
