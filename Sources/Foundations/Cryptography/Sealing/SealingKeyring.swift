/// A set of keys: the first one seals, and each of them opens.
///
/// To rotate keys, insert the new one before the others; remove an old one when no data that it sealed is needed any
/// more. An empty keyring seals nothing, and reports the key that each sealed value needs.
///
/// Thread-safe. Sealing takes a few microseconds.
package struct SealingKeyring: Sendable {
    private let keys: [SealingKey]
    private let randomBytes: @Sendable (Int) -> [UInt8]?

    /// Creates a keyring.
    ///
    /// - Parameters:
    ///   - keys: The keys; the first one seals.
    ///   - randomBytes: Returns a number of unpredictable bytes, or `nil` if there are none. The default is the
    ///     system's source.
    package init(
        _ keys: [SealingKey] = [], randomBytes: @escaping @Sendable (Int) -> [UInt8]? = SystemRandomness.bytes
    ) {
        self.keys = keys
        self.randomBytes = randomBytes
    }

    /// True if there is a key to seal with.
    package var canSeal: Bool { !keys.isEmpty }

    /// The identifiers of the keys, the sealing key first.
    package var keyIDs: [SealingKeyID] { keys.map(\.id) }

    /// Seals bytes with the first key.
    ///
    /// - Parameter context: The purpose and owner of the bytes. Opening requires the same context, which is not part of
    ///   the result.
    /// - Returns: The sealed bytes, longer by ``SealedForm/overheadByteCount``.
    /// - Throws: `noKey`, `noRandomness`, `tooLarge`, `unavailable`.
    package func seal(_ plaintext: [UInt8], context: [UInt8]) throws(SealingError) -> [UInt8] {
        guard let key = keys.first else { throw SealingError(.noKey, "There is no key to seal with") }
        guard let nonce = randomBytes(SealedForm.nonceByteCount), nonce.count == SealedForm.nonceByteCount else {
            throw SealingError(.noRandomness, "The system provided no random bytes")
        }
        let half = AES256GCM.nonceByteCount
        let box = try AES256GCM.seal(
            plaintext, key: key.messageKey(nonce: nonce[..<half]), nonce: Array(nonce[half...]),
            additionalData: SealedForm.header(key.id) + context)
        return SealedForm(keyID: key.id, nonce: nonce, box: box).bytes
    }

    /// Opens bytes that one of the keys has sealed in the same context.
    ///
    /// - Throws: `notSealed`, `unknownKey` with the key's identifier, `tampered`, `tooNew`, `unavailable`.
    package func open(_ bytes: [UInt8], context: [UInt8]) throws(SealingError) -> [UInt8] {
        let form = try SealedForm(bytes)
        guard let key = keys.first(where: { $0.id == form.keyID }) else {
            throw SealingError(
                .unknownKey, "The key \(form.keyID), with which this was sealed, is missing", keyID: form.keyID)
        }
        let half = AES256GCM.nonceByteCount
        return try AES256GCM.open(
            form.box, key: key.messageKey(nonce: form.nonce[..<half]), nonce: Array(form.nonce[half...]),
            additionalData: SealedForm.header(form.keyID) + context)
    }
}
