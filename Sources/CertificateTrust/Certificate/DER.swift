import COpenSSL

/// What one of OpenSSL's `i2d_…` functions writes; it is called twice, first to ask for the length.
func derBytes(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) throws(CertificateError) -> [UInt8] {
    let count = encode(nil)
    guard count > 0 else { throw CertificateError(.malformed, "A certificate or key cannot be written in DER") }
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
        var position = buffer.baseAddress
        initialized = Int(max(0, encode(&position)))
    }
}

/// The SHA-256 of some bytes.
func sha256Digest(of bytes: [UInt8]) throws(CertificateError) -> [UInt8] {
    var isComputed = false
    let digest = [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
        isComputed = bytes.withUnsafeBufferPointer { SHA256($0.baseAddress, $0.count, digest.baseAddress) != nil }
        count = isComputed ? Int(SHA256_DIGEST_LENGTH) : 0
    }
    guard isComputed else { throw CertificateError(.unsupported, "The system's OpenSSL has no SHA-256") }
    return digest
}
