import COpenSSL

/// Whether two secrets, or digests of secrets, are equal, in a time that depends on their lengths only.
///
/// Secrets of different lengths are unequal at once: compare digests where the length itself is a secret.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}
