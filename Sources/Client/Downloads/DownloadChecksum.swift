package import ErrandCryptography
package import ErrandSessionCore
import ErrandText

/// The digest that a downloaded file must have.
///
/// ```swift
/// options.checksum = .sha256("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
/// ```
public struct DownloadChecksum: Sendable, Hashable {
    /// The hash function of the digest.
    public let algorithm: Algorithm
    /// The digest in hexadecimal digits, as it was given.
    public let text: String

    /// The hash function of a digest.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// SHA-512 (FIPS 180-4): 128 hexadecimal digits.
        case sha512
        /// SHA-256 (FIPS 180-4): 64 hexadecimal digits.
        case sha256
        /// SHA-1 (FIPS 180-4): 40 hexadecimal digits.
        ///
        /// It detects damage, but not a change by an attacker.
        case sha1
        /// MD5 (RFC 1321): 32 hexadecimal digits.
        ///
        /// It detects damage, but not a change by an attacker. A system in FIPS mode does not have it: then the
        /// download fails with `checksum_mismatch`.
        case md5

        /// The function that computes the digest.
        package var function: HashFunction {
            switch self {
            case .sha512: .sha512
            case .sha256: .sha256
            case .sha1: .sha1
            case .md5: .md5
            }
        }

        /// The number of hexadecimal digits of a digest.
        package var digitCount: Int { 2 * function.byteCount }
    }

    /// Creates the expected digest.
    ///
    /// - Parameters:
    ///   - algorithm: The hash function.
    ///   - text: The digest in hexadecimal digits, in either case.
    public init(_ algorithm: Algorithm, _ text: String) {
        self.algorithm = algorithm
        self.text = text
    }

    /// A SHA-512 digest (FIPS 180-4).
    ///
    /// - Parameter text: 128 hexadecimal digits, in either case.
    public static func sha512(_ text: String) -> DownloadChecksum { DownloadChecksum(.sha512, text) }

    /// A SHA-256 digest (FIPS 180-4).
    ///
    /// - Parameter text: 64 hexadecimal digits, in either case.
    public static func sha256(_ text: String) -> DownloadChecksum { DownloadChecksum(.sha256, text) }

    /// A SHA-1 digest (FIPS 180-4), which detects damage, but not a change by an attacker.
    ///
    /// - Parameter text: 40 hexadecimal digits, in either case.
    public static func sha1(_ text: String) -> DownloadChecksum { DownloadChecksum(.sha1, text) }

    /// An MD5 digest (RFC 1321), which detects damage, but not a change by an attacker.
    ///
    /// - Parameter text: 32 hexadecimal digits, in either case.
    public static func md5(_ text: String) -> DownloadChecksum { DownloadChecksum(.md5, text) }

    /// The bytes of the digest; `nil` if the text is not a digest.
    package var bytes: [UInt8]? {
        guard let bytes = Hexadecimal.decode(text), bytes.count == algorithm.function.byteCount else { return nil }
        return bytes
    }

    /// Begins the digest of content.
    ///
    /// - Throws: ``SessionErrorCode/checksumMismatch`` if the system does not have the hash function.
    package func begin() throws(SessionError) -> IncrementalDigest {
        guard let digest = IncrementalDigest(algorithm.function) else {
            throw SessionError(
                .checksumMismatch,
                "The content cannot be checked: the system's OpenSSL does not provide \(algorithm.function.name)")
        }
        return digest
    }

    /// Compares the digest of content with this one.
    ///
    /// - Throws: ``SessionErrorCode/checksumMismatch``.
    package func verify(_ found: [UInt8]) throws(SessionError) {
        guard found != bytes else { return }
        throw SessionError(
            .checksumMismatch,
            "The content has the \(algorithm.function.name) \(Hexadecimal.encode(found)) instead of \(text)")
    }
}
