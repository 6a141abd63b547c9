import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
///
/// OpenSSL computes it, with the processor's instructions where there are some. Every build of OpenSSL has SHA-256: a
/// process where it cannot be set up (out of memory, or a system configuration that disables the default provider)
/// stops with a message, as it does when Swift cannot allocate.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// The number of bytes of a digest.
    package static let byteCount = 32

    /// Looked up once: `EVP_sha256()` would make OpenSSL search its providers at each initialisation.
    // Immutable after initialisation, never freed, and OpenSSL allows concurrent use of an EVP_MD (EVP_MD_fetch(3)).
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA2-256", nil)

    /// Begins a digest.
    package init() {
        guard let algorithm = Self.algorithm, let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex(context, algorithm, nil) == 1
        else {
            // Out of memory, or an OpenSSL without SHA-256: nothing that a peer can bring about.
            preconditionFailure("OpenSSL cannot set up SHA-256")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: RawSpan) {
        let status = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        // OpenSSL fails here only for a context that was never set up, which `init` excludes.
        precondition(status == 1, "OpenSSL cannot continue SHA-256")
    }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) {
        update(bytes.span.bytes)
    }

    /// Ends the digest: 32 bytes.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            var length: UInt32 = 0
            let status = EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            // As above: the context was set up.
            precondition(status == 1, "OpenSSL cannot finish SHA-256")
            count = Int(length)
        }
    }

    /// The digest of bytes that are all there.
    package static func hash(_ bytes: RawSpan) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }

    /// The digest of bytes that are all there.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        hash(bytes.span.bytes)
    }
}

// The context has one owner, and is touched by `mutating`, `consuming` and `deinit` only: never by two threads at once.
extension SHA256: @unchecked Sendable {}
