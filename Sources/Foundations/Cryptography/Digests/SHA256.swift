import CErrandOpenSSL

/// An incremental SHA-256 digest (FIPS 180-4).
///
/// OpenSSL computes it, with the processor's instructions if available. Every build of OpenSSL has SHA-256: a process
/// that cannot set it up (out of memory, or a system configuration that disables the default provider) stops with a
/// message, as it does when Swift cannot allocate.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// The number of bytes of a digest.
    package static let byteCount = 32

    /// The algorithm, fetched once: `EVP_sha256()` would make OpenSSL search its providers at each initialization.
    // Immutable after initialization, never freed, and OpenSSL allows concurrent use of an EVP_MD (EVP_MD_fetch(3)).
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA2-256", nil)

    /// Begins a digest.
    package init() {
        guard let algorithm = Self.algorithm, let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex(context, algorithm, nil) == 1
        else {
            // Out of memory, or an OpenSSL without SHA-256: a peer cannot cause either.
            preconditionFailure("OpenSSL cannot set up SHA-256")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Appends bytes.
    package mutating func update(_ bytes: RawSpan) {
        let status = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        // OpenSSL fails here only for a context that was not set up, which `init` excludes.
        precondition(status == 1, "OpenSSL cannot continue SHA-256")
    }

    /// Appends bytes.
    package mutating func update(_ bytes: [UInt8]) {
        update(bytes.span.bytes)
    }

    /// Ends the digest and returns its 32 bytes.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            var length: UInt32 = 0
            let status = EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            // As above: the context was set up.
            precondition(status == 1, "OpenSSL cannot finish SHA-256")
            count = Int(length)
        }
    }

    /// Returns the digest of complete data.
    package static func hash(_ bytes: RawSpan) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }

    /// Returns the digest of complete data.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        hash(bytes.span.bytes)
    }
}

// The context has one owner, and only `mutating`, `consuming` and `deinit` access it: never two threads at once.
extension SHA256: @unchecked Sendable {}
