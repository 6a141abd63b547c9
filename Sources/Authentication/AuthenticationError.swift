public import Transfer

/// Why a request could not be authorized.
///
/// Safe to show: no secret, and nothing that a server has written but words of a protocol.
public struct AuthenticationError: Error, Sendable, Hashable {
    /// What kind of failure: ``TransferError/Code/authenticationFailed``, or what ended the transfer that was to bring
    /// a token.
    public var code: TransferError.Code
    /// What happened, for people: one sentence without a full stop.
    public var message: String
    /// Whether another attempt, some time later, may well succeed; `nil` where the code answers for itself.
    public var isRetryable: Bool?

    /// Creates an error.
    public init(_ code: TransferError.Code, _ message: String, isRetryable: Bool? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
    }

    /// The caller cancelled.
    static let canceled = AuthenticationError(.canceled, TransferError.canceled.message)
}

extension AuthenticationError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
