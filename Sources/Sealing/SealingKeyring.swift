/// The keys that seal and open: the first seals, each of them opens.
///
/// To rotate keys, the new one is put in front of the others; an old one is taken out when nothing that it has sealed
/// is needed any more. A ring without keys seals nothing, and tells which key each sealed value would need.
///
/// Any thread. Sealing takes a few microseconds.
package struct SealingKeyring: Sendable {
    private let keys: [SealingKey]
    private let randomBytes: @Sendable (Int) -> [UInt8]?

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - keys: The first seals.
    ///   - randomBytes: That many bytes nobody can foresee, `nil` when there are none. Default: the system's.
    package init(
        _ keys: [SealingKey] = [], randomBytes: @escaping @Sendable (Int) -> [UInt8]? = SystemRandomness.bytes
    ) {
        self.keys = keys
        self.randomBytes = randomBytes
    }

    /// Whether there is a key to seal with.
    package var canSeal: Bool { !keys.isEmpty }

    /// The identifiers of its keys, the one that seals first.
    package var keyIDs: [SealingKeyID] { keys.map(\.id) }

    /// Seals bytes with the first key.
    ///
    /// - Parameter context: Where they belong: they can be opened only with the same. It is not part of the result.
    /// - Returns: ``SealedForm/overheadByteCount`` more bytes than were given.
    /// - Throws: `noKey`, `noRandomness`, `tooLarge`, `unavailable`.
    package func seal(_ plaintext: [UInt8], context: [UInt8]) throws(SealingError) -> [UInt8] {
        guard let key = keys.first else { throw SealingError(.noKey, "There is no key to seal with") }
        guard let nonce = randomBytes(SealedForm.nonceByteCount), nonce.count == SealedForm.nonceByteCount else {
            throw SealingError(.noRandomness, "The system gave no random bytes")
        }
        let half = AES256GCM.nonceByteCount
        let box = try AES256GCM.seal(
            plaintext, key: key.messageKey(nonce: nonce[..<half]), nonce: Array(nonce[half...]),
            additionalData: SealedForm.header(key.id) + context)
        return SealedForm(keyID: key.id, nonce: nonce, box: box).bytes
    }

    /// Opens what was sealed with one of the keys in the same context.
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
