import CErrandOpenSSL

/// A hash function that a caller chooses, for example because content was published with its digest.
package enum HashFunction: Sendable, Hashable, CaseIterable {
    /// SHA-512 (FIPS 180-4).
    case sha512
    /// SHA-256 (FIPS 180-4).
    case sha256
    /// SHA-1 (FIPS 180-4), which detects damage, but not a change by an attacker.
    case sha1
    /// MD5 (RFC 1321), which detects damage, but not a change by an attacker.
    case md5

    /// The number of bytes of a digest.
    package var byteCount: Int {
        switch self {
        case .sha512: 64
        case .sha256: 32
        case .sha1: 20
        case .md5: 16
        }
    }

    /// The name in texts, such as `SHA-256`.
    package var name: String {
        switch self {
        case .sha512: "SHA-512"
        case .sha256: "SHA-256"
        case .sha1: "SHA-1"
        case .md5: "MD5"
        }
    }

    /// The name of the algorithm in OpenSSL.
    var algorithm: String {
        switch self {
        case .sha512: "SHA2-512"
        case .sha256: "SHA2-256"
        case .sha1: "SHA1"
        case .md5: "MD5"
        }
    }
}
