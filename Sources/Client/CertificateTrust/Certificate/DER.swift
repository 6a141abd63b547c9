import CErrandOpenSSL

/// Returns the output of one of OpenSSL's `i2d_…` functions, which is called first for the length, then for the bytes.
func derBytes(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) throws(CertificateError) -> [UInt8] {
    let count = encode(nil)
    guard count > 0 else { throw CertificateError(.malformed, "A certificate or key cannot be encoded in DER") }
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
        var position = buffer.baseAddress
        initialized = Int(max(0, encode(&position)))
    }
}

/// Returns the SHA-256 of `bytes`.
func sha256Digest(of bytes: [UInt8]) throws(CertificateError) -> [UInt8] {
    var isComputed = false
    let digest = [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
        isComputed = bytes.withUnsafeBufferPointer { SHA256($0.baseAddress, $0.count, digest.baseAddress) != nil }
        count = isComputed ? Int(SHA256_DIGEST_LENGTH) : 0
    }
    guard isComputed else { throw CertificateError(.unsupported, "The system's OpenSSL has no SHA-256") }
    return digest
}
