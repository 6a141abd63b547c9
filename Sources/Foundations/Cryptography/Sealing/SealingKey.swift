import ErrandLocking

/// A key for AES-256-GCM that may seal any number of messages.
///
/// With one key and random nonces of 96 bits, AES-GCM is safe for 2³² messages only (NIST SP 800-38D §8.3), which a
/// busy gateway seals within weeks. Therefore each message has its own key, derived from this one and the first half of
/// a random nonce of 192 bits, as in XAES-256-GCM (C2SP, "XAES-256-GCM"). 2⁸⁰ messages are then safe, for two
/// additional AES blocks for each message.
///
/// The key does not appear in descriptions or mirrors. OpenSSL keeps it, and overwrites it when the object is freed.
package final class SealingKey: Sendable {
    /// The number of bytes of a key.
    package static let byteCount = 32

    /// The identifier of the key in sealed bytes.
    package let id: SealingKeyID
    private let blocks: Mutex<BlockCipher>
    /// The subkey K1 of CMAC (NIST SP 800-38B §6.1).
    private let mask: [UInt8]

    /// Creates a key from 32 unpredictable bytes: random ones, not a password.
    ///
    /// - Throws: `badKey` for another number of bytes.
    package init(_ bytes: [UInt8]) throws(SealingError) {
        guard bytes.count == Self.byteCount else {
            throw SealingError(.badKey, "A key must have \(Self.byteCount) bytes, found \(bytes.count)")
        }
        var cipher = try BlockCipher(bytes)
        id = SealingKeyID(of: bytes)
        var zero = [UInt8](repeating: 0, count: BlockCipher.blockByteCount)
        try cipher.encrypt(&zero, count: zero.count)
        mask = Self.doubled(zero)
        blocks = Mutex(cipher)
    }

    /// Returns the key of the messages whose nonces begin with the given bytes.
    ///
    /// It is the CMAC of a counter, the letter X and the nonce (NIST SP 800-108 §4.1): each of its halves is one block.
    ///
    /// - Parameter nonce: 12 bytes.
    func messageKey(nonce: ArraySlice<UInt8>) throws(SealingError) -> MessageKey {
        try MessageKey { (key) throws(SealingError) in
            for half in 0..<2 {
                let input = [0, UInt8(half + 1), UInt8(ascii: "X"), 0] + nonce
                for (offset, byte) in zip(input, mask).map({ $0 ^ $1 }).enumerated() {
                    key[half * BlockCipher.blockByteCount + offset] = byte
                }
            }
            let bytes = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
            try blocks.withLock { (cipher) throws(SealingError) in try cipher.encrypt(bytes, count: key.count) }
        }
    }

    /// Returns a block, doubled in GF(2¹²⁸).
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var carry: UInt8 = 0
        for byte in block.reversed() {
            result.append(byte << 1 | carry)
            carry = byte >> 7
        }
        result[0] ^= carry == 1 ? 0x87 : 0
        return result.reversed()
    }
}

extension SealingKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "sealing key \(id)" }

    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
