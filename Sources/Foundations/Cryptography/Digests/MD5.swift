/// MD5 (RFC 1321), only for protocols that require it, such as HTTP Digest in its first form.
///
/// It is not secure if an attacker can choose the input.
package enum MD5 {
    /// The number of bytes of a digest.
    package static let byteCount = 16

    /// Returns the digest of complete data, or `nil` if the system's configuration has disabled MD5.
    package static func hash(_ bytes: [UInt8]) -> [UInt8]? {
        messageDigest("MD5", byteCount: byteCount, of: bytes)
    }
}
