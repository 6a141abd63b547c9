import CErrandOpenSSL

/// AES-256 (FIPS 197) for single blocks.
struct BlockCipher: ~Copyable {
    /// The number of bytes of a block.
    static let blockByteCount = 16

    /// The context, which contains the key; OpenSSL overwrites it when it frees the context.
    private let context: OpaquePointer

    /// Creates a cipher with a key of 32 bytes.
    init(_ key: [UInt8]) throws(SealingError) {
        guard key.count == SealingKey.byteCount, let cipher = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil) else {
            throw .unavailable
        }
        defer { EVP_CIPHER_free(cipher) }
        guard let context = EVP_CIPHER_CTX_new() else { throw .unavailable }
        guard EVP_EncryptInit_ex2(context, cipher, key, nil, nil) == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else {
            EVP_CIPHER_CTX_free(context)
            throw .unavailable
        }
        self.context = context
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// Encrypts whole blocks in place, each independently.
    ///
    /// - Parameter count: The number of bytes, a multiple of ``blockByteCount``.
    mutating func encrypt(_ blocks: UnsafeMutablePointer<UInt8>?, count: Int) throws(SealingError) {
        var written: Int32 = 0
        guard let length = Int32(exactly: count), count % Self.blockByteCount == 0,
            EVP_EncryptUpdate(context, blocks, &written, blocks, length) == 1, written == length
        else { throw .unavailable }
    }
}

// The context has one owner, and only `mutating` and `deinit` access it: never two threads at once.
extension BlockCipher: @unchecked Sendable {}
