import CErrandOpenSSL
import ErrandText

/// The identifier of a key in sealed bytes and in messages: 8 bytes that reveal nothing about the key.
package struct SealingKeyID: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes.
    package static let byteCount = 8

    /// The bytes.
    package let bytes: [UInt8]

    /// Creates an identifier from sealed bytes; returns `nil` for a number of bytes other than ``byteCount``.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// The identifier as 16 lower-case hexadecimal digits.
    package var description: String { Hexadecimal.encode(bytes) }

    /// Derives the identifier of a key: the start of an HMAC-SHA-256, with the key, of a text that has no other use.
    init(of key: [UInt8]) throws(SealingError) {
        let purpose = Array("errand sealing key id".utf8)
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let result = EVP_Q_mac(
            nil, "HMAC", nil, "SHA2-256", nil, key, key.count, purpose, purpose.count, &code, code.count, &count)
        guard result != nil, count == code.count else { throw .unavailable }
        bytes = Array(code.prefix(Self.byteCount))
    }
}
