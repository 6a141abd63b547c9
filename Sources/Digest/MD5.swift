/// MD5 (RFC 1321): only for protocols that know nothing better, as HTTP Digest in its first form.
///
/// It resists no attacker who can choose what is digested.
package enum MD5 {
    /// The number of bytes of a digest.
    package static let byteCount = 16

    /// The digest of bytes that are all there; `nil` where the system's configuration has disabled MD5.
    package static func hash(_ bytes: [UInt8]) -> [UInt8]? {
        messageDigest("MD5", byteCount: byteCount, of: bytes)
    }
}
