import CErrandOpenSSL

/// AES-256-GCM (NIST SP 800-38D) with a nonce of 96 bits and a tag of 128 bits, computed by OpenSSL.
enum AES256GCM {
    /// The number of bytes of a nonce.
    static let nonceByteCount = 12
    /// The number of bytes of a tag.
    static let tagByteCount = 16

    /// The cipher, fetched once: `EVP_aes_256_gcm()` would make OpenSSL search its providers for each message.
    // Immutable after initialization, never freed, and OpenSSL allows concurrent use of an EVP_CIPHER
    // (EVP_CIPHER_fetch(3)).
    nonisolated(unsafe) private static let cipher: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// Encrypts `plaintext` and returns the ciphertext followed by the tag.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that were never used with this key.
    ///   - additionalData: Further data that the tag authenticates, which is not part of the result.
    static func seal(
        _ plaintext: [UInt8], key: borrowing MessageKey, nonce: [UInt8], additionalData: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        try process(plaintext, key: key, nonce: nonce, additionalData: additionalData, direction: .sealing)
    }

    /// Decrypts the result of ``seal(_:key:nonce:additionalData:)``.
    ///
    /// The plaintext is returned only after the tag was verified, which OpenSSL does in constant time.
    ///
    /// - Throws: `tampered` if the key, nonce, additional data or any bit of `box` differs.
    static func open(
        _ box: [UInt8], key: borrowing MessageKey, nonce: [UInt8], additionalData: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard box.count >= tagByteCount else { throw .tampered }
        return try process(box, key: key, nonce: nonce, additionalData: additionalData, direction: .opening)
    }

    private enum Direction {
        case sealing
        case opening

        var isSealing: Bool { self == .sealing }
    }

    private static func process(
        _ input: [UInt8], key: borrowing MessageKey, nonce: [UInt8], additionalData: [UInt8], direction: Direction
    ) throws(SealingError) -> [UInt8] {
        let textCount = direction.isSealing ? input.count : input.count - tagByteCount
        guard let textLength = Int32(exactly: textCount), let dataLength = Int32(exactly: additionalData.count) else {
            throw SealingError(.tooLarge, "The data to seal exceeds 2 GiB")
        }
        guard nonce.count == nonceByteCount, let cipher, let context = EVP_CIPHER_CTX_new() else { throw .unavailable }
        defer { EVP_CIPHER_CTX_free(context) }
        let isReady = try key.withBytes { key throws(SealingError) in
            EVP_CipherInit_ex2(context, cipher, key, nonce, direction.isSealing ? 1 : 0, nil) == 1
        }
        guard isReady else { throw .unavailable }
        var written: Int32 = 0
        // A call without bytes would end the message.
        if dataLength > 0 {
            guard EVP_CipherUpdate(context, nil, &written, additionalData, dataLength) == 1 else { throw .unavailable }
        }
        var isGenuine = true
        let output = [UInt8](unsafeUninitializedCapacity: textCount + tagByteCount) { output, count in
            input.withUnsafeBufferPointer { input in
                var isDone =
                    textLength == 0
                    || EVP_CipherUpdate(context, output.baseAddress, &written, input.baseAddress, textLength) == 1
                if !direction.isSealing {
                    // OpenSSL reads the tag and does not write to it, although the parameter is not const.
                    let tag = UnsafeMutableRawPointer(mutating: input.baseAddress.map { $0 + textCount })
                    isDone = isDone && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagLength, tag) == 1
                }
                let end = output.baseAddress.map { $0 + textCount }
                isGenuine = isDone && EVP_CipherFinal_ex(context, end, &written) == 1
                if direction.isSealing {
                    isGenuine = isGenuine && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagLength, end) == 1
                }
            }
            count = isGenuine ? textCount + (direction.isSealing ? tagByteCount : 0) : 0
            // Plaintext that is not authentic must not be exposed, not even in freed memory.
            if !isGenuine { OPENSSL_cleanse(output.baseAddress, textCount) }
        }
        guard isGenuine else { throw direction.isSealing ? .unavailable : .tampered }
        return output
    }

    private static let tagLength = Int32(tagByteCount)
}

extension SealingError {
    /// The error for data that is not authentic.
    static let tampered = SealingError(.tampered, "The sealed bytes were changed, or belong to another record")
}
