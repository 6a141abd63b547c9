import ErrandAuthentication
import ErrandResponseSerialization
public import ErrandTransfer

/// The error of a failed task.
///
/// Safe to show: it contains no secret and no content.
public struct SessionError: Error, Sendable, Hashable {
    /// The kind of failure, stable for programs; it determines domain and number.
    public var code: SessionErrorCode
    /// A sentence for people, without a full stop.
    public var message: String
    /// True if a later attempt may succeed.
    ///
    /// Default: as for the code.
    public var isRetryable: Bool
    /// True if the request may have reached the upstream before the connection was lost.
    public var mayHaveArrived: Bool
    /// The error that caused this one.
    public var underlying: SessionError? {
        get { chain.first }
        set { chain = newValue.map { [$0] } ?? [] }
    }

    /// None or one error; an array, because a value cannot directly contain another of its type.
    private var chain: [SessionError]
    /// The parts that do not identify the error.
    private var details = ErrorDetails()

    /// The response that came with the error, if the error was thrown for a request and one was received.
    ///
    /// It has the readers of a good response: ``SessionResponse/status``, ``SessionResponse/headers``,
    /// ``SessionResponse/data``, ``SessionResponse/text``, ``SessionResponse/json``. Of longer content it has the first
    /// ``ResponseConfiguration/Disposition/maxErrorBytes``, and then no JSON. Errors are compared without it.
    ///
    /// ```swift
    /// do {
    ///     try await api.post("users", parameters: ["name": ""])
    /// } catch {
    ///     if error.response?.status == 422 { print(error.response?.text ?? "") }
    /// }
    /// ```
    public var response: SessionResponse? { details.response }

    /// The error of the program that caused this one: of its serializer, of its hook, or of its stream of content.
    ///
    /// For a value that cannot be decoded or encoded as JSON, it is the `DecodingError` or `EncodingError` of the
    /// coder, or what the value's own `init(from:)` or `encode(to:)` has thrown.
    ///
    /// It is not part of the `description`, as it may contain secrets or content. Errors are compared without it.
    public var cause: (any Error)? { details.cause }

    /// True if this machine had no resource for the connection, such as a descriptor, which says nothing about the
    /// upstream.
    ///
    /// Errors are compared without it.
    package var isLocal: Bool { details.isLocal }

    /// Creates an error.
    public init(
        _ code: SessionErrorCode, _ message: String, isRetryable: Bool? = nil, mayHaveArrived: Bool = false,
        underlying: SessionError? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable ?? code.isRetryable
        self.mayHaveArrived = mayHaveArrived
        chain = underlying.map { [$0] } ?? []
        if let cause { details = ErrorDetails(cause: cause) }
    }

    /// Returns the same error with the response that came with it.
    ///
    /// - Parameter maxBytes: The maximum number of content bytes that ``response`` shows.
    package func with(_ response: SessionResponse, maxBytes: Int64) -> SessionError {
        var error = self
        error.details = details.with(response, maxBytes: maxBytes)
        return error
    }

    /// Creates the error of a task from that of its transfer.
    public init(_ error: TransferError) {
        self.init(
            SessionErrorCode(rawValue: error.code.rawValue) ?? .transportError, error.message,
            mayHaveArrived: error.mayHaveArrived)
        if error.isLocal { details = .local }
    }

    /// The domain of the failure.
    public var domain: SessionErrorCode.Domain { code.domain }

    /// The session manager's numeric code, if it has one.
    public var number: Int? { code.number }

    /// The error of a task that its owner canceled.
    public static let canceled = SessionError(.canceled, "The task was canceled")

    /// The error of a task that did not succeed before its deadline.
    ///
    /// Used only by the gateway.
    public static let deadlineExceeded = SessionError(.deadlineExceeded, "The deadline of the task has passed")
}

extension SessionError: CustomStringConvertible {
    /// The domain, code and message of this error and of its underlying ones.
    ///
    /// Without the domain if that is ``SessionErrorCode/Domain/gateway``, as a program may have none.
    public var description: String {
        let prefix = domain == .gateway ? "" : "\(domain.rawValue)."
        let own = "\(prefix)\(code.rawValue): \(message)"
        return underlying.map { "\(own) (\($0))" } ?? own
    }
}

extension SessionError {
    /// Creates the error of a request with an invalid URL.
    public init(_ error: HTTPURLError) {
        let code: SessionErrorCode = if case .unsupportedScheme = error { .unsupportedURL } else { .badURL }
        self.init(code, error.description)
    }
}

extension SessionError {
    /// Creates the error of a request that could not be authenticated.
    init(_ error: AuthenticationError) {
        let code = SessionErrorCode(rawValue: error.code.rawValue) ?? .transportError
        self.init(code, error.message, isRetryable: error.isRetryable)
    }

    /// Creates the error of content that its serializer cannot read.
    init(_ error: ResponseSerializationError) {
        switch error.kind {
        case .unparsable: self.init(.unparsableBody, error.message, cause: error.underlying)
        case .unacceptableContent: self.init(.unacceptableContentType, error.message, cause: error.underlying)
        }
    }
}

extension SessionError {
    /// Creates the error of a failed hook: the hook's own if it is a ``SessionError``.
    init(ofHook error: any Error, _ message: String) {
        if let error = error as? SessionError {
            self = error
        } else {
            self.init(.hookFailed, message, cause: error)
        }
    }
}
