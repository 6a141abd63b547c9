import CErrandOpenSSL

/// Returns the digest of complete data, with OpenSSL's name of the algorithm.
///
/// - Returns: `nil` if the algorithm is not available, for example in a system configuration for FIPS 140.
func messageDigest(_ algorithm: String, byteCount: Int, of bytes: [UInt8]) -> [UInt8]? {
    var length = 0
    let digest = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
        let status = bytes.withUnsafeBytes { bytes in
            EVP_Q_digest(nil, algorithm, nil, bytes.baseAddress, bytes.count, digest.baseAddress, &length)
        }
        count = status == 1 ? length : 0
    }
    return digest.count == byteCount ? digest : nil
}

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
