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
    ///
    /// Traps like ``HMACSHA256`` if OpenSSL has no SHA-256.
    init(of key: [UInt8]) {
        let code = HMACSHA256.authenticate(Array("errand sealing key id".utf8), key: key)
        bytes = Array(code.prefix(Self.byteCount))
    }
}
