/// The reason for which a certificate, a key, a pin or a trust policy cannot be used.
///
/// The description is safe to show: it contains neither a password nor any part of a private key.
package struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error.
    package var reason: Reason
    /// The message for users: a sentence without a full stop.
    package var message: String

    /// The kinds of errors.
    package enum Reason: Sendable, Hashable {
        /// The bytes have the wrong format.
        case malformed
        /// The file does not contain the expected kind of object.
        case missing
        /// A password is required, or the given one is wrong.
        case password
        /// The system's OpenSSL does not support an algorithm.
        case unsupported
        /// The private key does not belong to the certificate.
        case foreignKey
        /// The parts of the policy contradict each other.
        case contradiction
        /// There is not enough memory.
        case outOfMemory
    }

    /// Creates an error.
    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The message.
    package var description: String { message }

    static let outOfMemory = CertificateError(.outOfMemory, "There is not enough memory for a certificate")
}
