/// SHA-512/256 (FIPS 180-4 §5.3.6.2): SHA-512 with its own initial values, truncated to 256 bits.
///
/// It is not the first half of SHA-512.
package enum SHA512_256 {
    /// The number of bytes of a digest.
    package static let byteCount = 32

    /// Returns the digest of complete data, or `nil` if the system's configuration has disabled it.
    package static func hash(_ bytes: [UInt8]) -> [UInt8]? {
        messageDigest("SHA2-512/256", byteCount: byteCount, of: bytes)
    }
}
