import CErrandOpenSSL

/// An incremental digest with any ``HashFunction``.
package struct IncrementalDigest: ~Copyable {
    private let context: OpaquePointer
    private let byteCount: Int

    /// Begins a digest; returns `nil` if the system's configuration has disabled the function, as one for FIPS 140 does
    /// with MD5.
    package init?(_ function: HashFunction) {
        guard let algorithm = EVP_MD_fetch(nil, function.algorithm, nil) else { return nil }
        // The context keeps a reference of its own.
        defer { EVP_MD_free(algorithm) }
        guard let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, algorithm, nil) == 1 else {
            EVP_MD_CTX_free(context)
            return nil
        }
        self.context = context
        byteCount = function.byteCount
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Appends bytes.
    package mutating func update(_ bytes: [UInt8]) {
        let status = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        // OpenSSL fails here only for a context that was not set up, which `init` excludes.
        precondition(status == 1, "OpenSSL cannot continue a digest")
    }

    /// Ends the digest and returns its bytes.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            let status = EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            // As above: the context was set up.
            precondition(status == 1 && Int(length) == byteCount, "OpenSSL cannot finish a digest")
            count = Int(length)
        }
    }
}

// The context has one owner, and only `mutating`, `consuming` and `deinit` access it: never two threads at once.
extension IncrementalDigest: @unchecked Sendable {}
