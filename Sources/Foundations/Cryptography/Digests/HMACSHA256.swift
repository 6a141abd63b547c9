import CErrandOpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The number of bytes of a code.
    package static let byteCount = SHA256.byteCount

    /// Returns the authentication code of a complete message: 32 bytes.
    ///
    /// - Parameter key: A key of any length; RFC 2104 permits an empty one.
    package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        // OpenSSL treats a missing key as one that was set before, and an empty array may have no address. Therefore a
        // zero byte replaces the empty key, which RFC 2104 §2 pads with zeros anyway.
        let key = key.isEmpty ? [0] : key
        return [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            let result = key.withUnsafeBytes { key in
                message.withUnsafeBytes { message in
                    EVP_Q_mac(
                        nil, "HMAC", nil, "SHA2-256", nil, key.baseAddress, key.count, message.baseAddress,
                        message.count, code.baseAddress, byteCount, &count)
                }
            }
            // It fails only without memory, or in an OpenSSL without SHA-256 (as with `SHA256`), never because of a
            // peer's data.
            precondition(result != nil && count == byteCount, "OpenSSL cannot compute HMAC-SHA-256")
        }
    }
}
