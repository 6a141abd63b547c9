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
