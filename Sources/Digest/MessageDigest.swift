import COpenSSL

/// A digest of bytes that are all there, by the name that OpenSSL knows its algorithm by.
///
/// - Returns: `nil` when the process has no such algorithm, as a system configuration for FIPS 140 may have it.
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
