import ErrandCryptography
import ErrandText

/// The digest algorithm of a challenge (RFC 7616 §3.4.2, §6.1).
package struct DigestAlgorithm: Sendable, Hashable {
    /// The hash function.
    package let hash: Hash
    /// A Boolean value that indicates whether the password's digest is combined with both nonces once (`-sess`).
    package let isSession: Bool

    /// The hash functions, ordered by strength.
    package enum Hash: Int, Sendable, Comparable, CaseIterable {
        /// RFC 1321, for RFC 2617 and 2069.
        case md5
        /// FIPS 180-4.
        case sha256
        /// SHA-512/t with t = 256 (FIPS 180-4 §5.3.6).
        case sha512t256

        /// Returns whether one hash function is weaker than another.
        package static func < (one: Hash, other: Hash) -> Bool { one.rawValue < other.rawValue }

        /// The name in the registry of digest algorithms.
        package var name: String {
            switch self {
            case .md5: "MD5"
            case .sha256: "SHA-256"
            case .sha512t256: "SHA-512-256"
            }
        }

        /// Returns `H(text)` in hexadecimal digits; `nil` if the hash function is not available to the process.
        package func callAsFunction(_ text: String) -> String? {
            let bytes = Array(text.utf8)
            let digest =
                switch self {
                case .md5: MD5.hash(bytes)
                case .sha256: SHA256.hash(bytes)
                case .sha512t256: SHA512_256.hash(bytes)
                }
            return digest.map { Hexadecimal.encode($0) }
        }
    }

    /// Parses a name in any case; returns `nil` if it is unknown.
    package init?(_ name: String) {
        let name = name.lowercased()
        let isSession = name.hasSuffix("-sess")
        let base = isSession ? String(name.dropLast(5)) : name
        guard let hash = Hash.allCases.first(where: { $0.name.lowercased() == base }) else { return nil }
        self.hash = hash
        self.isSession = isSession
    }

    /// The name in header fields.
    package var name: String { isSession ? hash.name + "-sess" : hash.name }
}
