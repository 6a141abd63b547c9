/// Why a certificate, a key, a pin or a policy made of them cannot be used.
///
/// The description is safe to show: it quotes neither a password nor anything of a private key.
package struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of fault it is.
    package var reason: Reason
    /// What is wrong, for people: a sentence without a full stop.
    package var message: String

    /// The kinds of faults.
    package enum Reason: Sendable, Hashable {
        /// The bytes are not what they should be.
        case malformed
        /// The file holds nothing of what is looked for.
        case missing
        /// A password is needed, or is not the right one.
        case password
        /// The system's OpenSSL has no such algorithm.
        case unsupported
        /// The private key is not that of the certificate.
        case foreignKey
        /// The parts of the policy do not fit together.
        case contradiction
        /// There is no memory for it.
        case outOfMemory
    }

    /// Creates an error.
    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The message.
    package var description: String { message }

    static let outOfMemory = CertificateError(.outOfMemory, "There is no memory for a certificate")
}
