public import Transfer

/// Why a task failed.
///
/// All of it is safe to show: no secret, no content.
public struct SessionError: Error, Sendable, Hashable {
    /// What kind of failure, stable for programs; it decides domain and number.
    public var code: SessionErrorCode
    /// What happened, for people: one sentence without a full stop.
    public var message: String
    /// Whether another attempt, some time later, may well succeed.
    ///
    /// The code's own answer by default.
    public var isRetryable: Bool
    /// The connection was lost when the request may have reached the upstream already.
    public var mayHaveArrived: Bool
    /// The failure behind this one.
    public var underlying: SessionError? {
        get { chain.first }
        set { chain = newValue.map { [$0] } ?? [] }
    }

    /// None or one: a value cannot hold another of its kind but through something that lives elsewhere.
    private var chain: [SessionError]

    /// Creates an error.
    public init(
        _ code: SessionErrorCode, _ message: String, isRetryable: Bool? = nil, mayHaveArrived: Bool = false,
        underlying: SessionError? = nil
    ) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable ?? code.isRetryable
        self.mayHaveArrived = mayHaveArrived
        chain = underlying.map { [$0] } ?? []
    }

    /// The error that a failed transfer is for its task.
    public init(_ error: TransferError) {
        self.init(
            SessionErrorCode(rawValue: error.code.rawValue) ?? .transportError, error.message,
            mayHaveArrived: error.mayHaveArrived)
    }

    /// The part of the work that failed.
    public var domain: SessionErrorCode.Domain { code.domain }

    /// The session manager's numeric code, where it has one.
    public var number: Int? { code.number }

    /// The owner cancelled.
    public static let canceled = SessionError(.canceled, "The task was canceled")

    /// The task has not succeeded in time.
    public static let deadlineExceeded = SessionError(.deadlineExceeded, "The deadline of the task has passed")
}

extension SessionError: CustomStringConvertible {
    /// Domain, code and message, and those of what is behind it.
    public var description: String {
        let own = "\(domain.rawValue).\(code.rawValue): \(message)"
        return underlying.map { "\(own) (\($0))" } ?? own
    }
}
