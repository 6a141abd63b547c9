import CErrandOpenSSL

/// Ed25519 signatures (RFC 8032) of complete messages.
///
/// The functions return `nil` or `false` if OpenSSL has no Ed25519, such as in a FIPS 140 configuration.
package enum Ed25519 {
    /// The number of bytes of a seed, and of a public key.
    package static let keyBytes = 32
    /// The number of bytes of a signature.
    package static let signatureBytes = 64

    /// Returns the public key of a seed of ``keyBytes``.
    package static func publicKey(ofSeed seed: [UInt8]) -> [UInt8]? {
        guard let key = EVPKey(seed: seed) else { return nil }
        var length = keyBytes
        let publicKey = [UInt8](unsafeUninitializedCapacity: keyBytes) { buffer, count in
            let status = EVP_PKEY_get_raw_public_key(key.pointer, buffer.baseAddress, &length)
            count = status == 1 ? length : 0
        }
        return publicKey.count == keyBytes ? publicKey : nil
    }

    /// Returns the signature of a message, ``signatureBytes`` long; it is deterministic.
    package static func sign(_ message: [UInt8], seed: [UInt8]) -> [UInt8]? {
        guard let key = EVPKey(seed: seed), let context = DigestContext(),
            EVP_DigestSignInit(context.pointer, nil, nil, nil, key.pointer) == 1
        else { return nil }
        var length = signatureBytes
        let signature = [UInt8](unsafeUninitializedCapacity: signatureBytes) { buffer, count in
            let status = message.withUnsafeBufferPointer { message in
                EVP_DigestSign(context.pointer, buffer.baseAddress, &length, message.baseAddress, message.count)
            }
            count = status == 1 ? length : 0
        }
        return signature.count == signatureBytes ? signature : nil
    }

    /// Returns true if a signature of a message is valid for a public key; `false` for malformed input.
    package static func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureBytes, let key = EVPKey(publicKey: publicKey),
            let context = DigestContext(), EVP_DigestVerifyInit(context.pointer, nil, nil, nil, key.pointer) == 1
        else { return false }
        let status = message.withUnsafeBufferPointer { message in
            EVP_DigestVerify(context.pointer, signature, signature.count, message.baseAddress, message.count)
        }
        // Otherwise the error of an invalid signature would remain in OpenSSL's queue for the next caller.
        if status != 1 { ERR_clear_error() }
        return status == 1
    }
}

/// The owner of an `EVP_PKEY`.
private struct EVPKey: ~Copyable {
    let pointer: OpaquePointer

    init?(seed: [UInt8]) {
        self.init(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count))
    }

    init?(publicKey: [UInt8]) {
        self.init(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count))
    }

    private init?(_ pointer: OpaquePointer?) {
        guard let pointer else {
            ERR_clear_error()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}

/// The owner of an `EVP_MD_CTX`.
private struct DigestContext: ~Copyable {
    let pointer: OpaquePointer

    init?() {
        guard let pointer = EVP_MD_CTX_new() else { return nil }
        self.pointer = pointer
    }

    deinit {
        EVP_MD_CTX_free(pointer)
    }
}
