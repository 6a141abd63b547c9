/// The format of sealed bytes, split into its parts.
///
/// | bytes | |
/// | --- | --- |
/// | 3 | `00 45 53`: a zero, with which no text begins, and `ES` |
/// | 1 | the version of the form: 1 |
/// | 8 | the ``SealingKeyID`` |
/// | 24 | the nonce, random |
/// | as many as were sealed | the ciphertext |
/// | 16 | the tag |
package struct SealedForm: Sendable, Hashable {
    /// The identifier of the sealing key.
    package let keyID: SealingKeyID
    let nonce: [UInt8]
    let box: [UInt8]

    /// The number of bytes by which sealing increases the size.
    package static let overheadByteCount = headerByteCount + nonceByteCount + AES256GCM.tagByteCount

    static let nonceByteCount = 24
    private static let magic: [UInt8] = [0x00, 0x45, 0x53]
    private static let version: UInt8 = 1
    private static let headerByteCount = magic.count + 1 + SealingKeyID.byteCount

    init(keyID: SealingKeyID, nonce: [UInt8], box: [UInt8]) {
        self.keyID = keyID
        self.nonce = nonce
        self.box = box
    }

    /// Returns true if bytes have the signature of sealed ones, whatever follows.
    package static func isSealed(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: magic)
    }

    /// Parses sealed bytes, without decrypting them.
    ///
    /// - Throws: `notSealed`, `tooNew`, or `tampered` if bytes are missing.
    package init(_ bytes: [UInt8]) throws(SealingError) {
        guard Self.isSealed(bytes) else { throw SealingError(.notSealed, "The bytes are not sealed") }
        guard bytes.count > Self.magic.count else { throw .tampered }
        guard bytes[Self.magic.count] == Self.version else {
            throw SealingError(.tooNew, "The bytes were sealed by a newer version of this program")
        }
        guard let keyID = Self.keyID(of: bytes) else { throw .tampered }
        self.keyID = keyID
        nonce = Array(bytes[Self.headerByteCount..<(Self.headerByteCount + Self.nonceByteCount)])
        box = Array(bytes[(Self.headerByteCount + Self.nonceByteCount)...])
    }

    /// Returns the identifier of the sealing key, or `nil` if the bytes are not sealed or have none.
    package static func keyID(of bytes: [UInt8]) -> SealingKeyID? {
        guard isSealed(bytes), bytes.count >= overheadByteCount, bytes[magic.count] == version else { return nil }
        return SealingKeyID(bytes[(magic.count + 1)..<headerByteCount])
    }

    /// Returns the bytes before the nonce, which the tag authenticates.
    static func header(_ keyID: SealingKeyID) -> [UInt8] {
        magic + [version] + keyID.bytes
    }

    /// The bytes in stored form.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.overheadByteCount + box.count)
        bytes += Self.header(keyID)
        bytes += nonce
        bytes += box
        return bytes
    }
}
