import CGnuTLS

/// What the certificate of a connection's client is worth.
enum ClientCertificate: Sendable, Equatable {
    /// It proves who the client is: its subject, as text of RFC 4514.
    case verified(subject: String)
    /// Nobody is behind the connection, as far as the server knows.
    case refused(Reason)

    /// Why a certificate is refused.
    enum Reason: Sendable, Equatable, CustomStringConvertible {
        case missing
        case expired
        case notYetValid
        case revoked
        case wrongPurpose
        case untrusted
        /// It cannot be verified, or its subject cannot be told.
        case unusable

        /// The reason in what GnuTLS has found out, of which there may be several.
        init(status: UInt32) {
            func has(_ flag: gnutls_certificate_status_t) -> Bool { status & flag.rawValue != 0 }
            // Nothing that an unknown authority has signed counts, not even its dates.
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

        /// The reason for the client, as a sentence.
        var description: String {
            switch self {
            case .missing: "the client has not sent a certificate"
            case .expired: "the client's certificate has expired"
            case .notYetValid: "the client's certificate is not valid yet"
            case .revoked: "the client's certificate is revoked"
            case .wrongPurpose: "the client's certificate is not meant for TLS clients"
            case .untrusted: "the client's certificate comes from an authority that is not trusted here"
            case .unusable: "the client's certificate cannot be verified"
            }
        }
    }

    /// The longest subject, in bytes: it is written into each line of an audit log.
    private static let maxSubjectBytes = 1024

    /// A subject as text, in which control characters are escaped (RFC 4514 §2.4); `nil` when it is empty, too long or
    /// not UTF-8.
    ///
    /// It is not shortened: two subjects must not look the same.
    static func subject(_ bytes: some Collection<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.count <= maxSubjectBytes, let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return text.unicodeScalars.reduce(into: "") { escaped, scalar in
            guard scalar.value < 0x20 || scalar.value == 0x7F else {
                escaped.unicodeScalars.append(scalar)
                return
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            escaped += "\\" + (digits.utf8.count < 2 ? "0" : "") + digits
        }
    }
}
