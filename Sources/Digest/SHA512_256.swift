/// SHA-512/256 (FIPS 180-4 §5.3.6.2): SHA-512 with initial values of its own, cut to 256 bits.
///
/// Not the first half of a SHA-512.
package enum SHA512_256 {
    /// The number of bytes of a digest.
    package static let byteCount = 32

    /// The digest of bytes that are all there; `nil` where the system's configuration has disabled it.
    package static func hash(_ bytes: [UInt8]) -> [UInt8]? {
        messageDigest("SHA2-512/256", byteCount: byteCount, of: bytes)
    }
}
