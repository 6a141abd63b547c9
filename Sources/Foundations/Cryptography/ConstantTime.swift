import CErrandOpenSSL

/// Returns true if two secrets, or digests of secrets, are equal, in a time that depends only on their lengths.
///
/// Secrets of different lengths are immediately unequal: compare digests if the length itself is secret.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}
