package import ErrandTransfer

/// The reason for which a request could not be authorized.
///
/// Safe to show: contains no secret, and of a server's text only protocol keywords.
package struct AuthenticationError: Error, Sendable, Hashable {
    /// The error code: ``TransferError/Code/authenticationFailed``, or the code of the failed transfer that requested a
    /// token.
    package var code: TransferError.Code
    /// The message for users: one sentence without a full stop.
    package var message: String
    /// A Boolean value that indicates whether a later attempt may succeed; `nil` if the code determines it.
    package var isRetryable: Bool?

    /// Creates an error.
    package init(_ code: TransferError.Code, _ message: String, isRetryable: Bool? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
    }

    /// The error of a canceled caller.
    static let canceled = AuthenticationError(.canceled, TransferError.canceled.message)
}

extension AuthenticationError: CustomStringConvertible {
    /// The code and the message.
    package var description: String { "\(code.rawValue): \(message)" }
}
