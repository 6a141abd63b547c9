import COpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The number of bytes of a code.
    package static let byteCount = SHA256.byteCount

    /// The authentication code of a message that is all there: 32 bytes.
    ///
    /// - Parameter key: Of any length; an empty one is allowed, as the RFC has it.
    package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        // OpenSSL takes a missing key for one that was set before, and an empty array may have no address: a zero
        // byte stands for the empty key, which RFC 2104 §2 pads with zeros anyway.
        let key = key.isEmpty ? [0] : key
        return [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            let result = key.withUnsafeBytes { key in
                message.withUnsafeBytes { message in
                    EVP_Q_mac(
                        nil, "HMAC", nil, "SHA2-256", nil, key.baseAddress, key.count, message.baseAddress,
                        message.count, code.baseAddress, byteCount, &count)
                }
            }
            // Fails when memory is out, or in an OpenSSL without SHA-256 (as with `SHA256`): never for what a peer
            // sends.
            precondition(result != nil && count == byteCount, "OpenSSL cannot compute HMAC-SHA-256")
        }
    }
}
