import CErrandGnuTLS
import ErrandText

/// The result of verifying the certificate of a connection's client.
enum ClientVerification: Sendable, Equatable {
    /// The certificate is valid; its subject is text in the form of RFC 4514.
    case verified(subject: String)
    /// The client is not authenticated.
    case refused(Reason)

    /// A reason for which a certificate is refused.
    enum Reason: Sendable, Equatable, CustomStringConvertible {
        case missing
        case expired
        case notYetValid
        case revoked
        case wrongPurpose
        case untrusted
        /// The certificate cannot be verified, or its subject cannot be read.
        case unusable

        /// Creates a reason from the status bits of GnuTLS, of which several may be set.
        init(status: UInt32) {
            func has(_ flag: gnutls_certificate_status_t) -> Bool { status & flag.rawValue != 0 }
            // A certificate of an unknown authority is untrusted as a whole, its dates included.
            self =
                if has(GNUTLS_CERT_SIGNER_NOT_FOUND) || has(GNUTLS_CERT_SIGNER_NOT_CA)
                    || has(GNUTLS_CERT_SIGNATURE_FAILURE)
                {
                    .untrusted
                } else if has(GNUTLS_CERT_REVOKED) {
                    .revoked
                } else if has(GNUTLS_CERT_EXPIRED) {
                    .expired
                } else if has(GNUTLS_CERT_NOT_ACTIVATED) {
                    .notYetValid
                } else if has(GNUTLS_CERT_PURPOSE_MISMATCH) {
                    .wrongPurpose
                } else {
                    .unusable
                }
        }

        /// The reason as a sentence for the client.
        var description: String {
            switch self {
            case .missing: "the client has not sent a certificate"
            case .expired: "the client's certificate has expired"
            case .notYetValid: "the client's certificate is not valid yet"
            case .revoked: "the client's certificate is revoked"
            case .wrongPurpose: "the client's certificate is not meant for TLS clients"
            case .untrusted: "the client's certificate is from an authority that this server does not trust"
            case .unusable: "the client's certificate cannot be verified"
            }
        }
    }

    /// The longest subject, in bytes; it is written into each line of an audit log.
    private static let maxSubjectBytes = 1024

    /// Returns a subject as text with control characters escaped (RFC 4514 §2.4).
    ///
    /// Returns `nil` if it is empty, too long or not UTF-8. It is not shortened, because two subjects must not look the
    /// same.
    static func subject(_ bytes: some Collection<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.count <= maxSubjectBytes, let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return text.unicodeScalars.reduce(into: "") { escaped, scalar in
            guard scalar.value < 0x20 || scalar.value == 0x7F else {
                escaped.unicodeScalars.append(scalar)
                return
            }
            escaped += "\\" + Hexadecimal.text(scalar.value, minimumDigits: 2, isUppercase: true)
        }
    }
}
