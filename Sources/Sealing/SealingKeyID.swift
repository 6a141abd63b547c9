import COpenSSL

/// What a key is called in sealed bytes and in messages: 8 bytes that tell nothing of it.
package struct SealingKeyID: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes.
    package static let byteCount = 8

    /// The bytes.
    package let bytes: [UInt8]

    /// An identifier from sealed bytes; `nil` when there are more or fewer than ``byteCount``.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// 16 lower-case hexadecimal digits.
    package var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// The identifier of a key: the beginning of an HMAC-SHA-256 with it of a text for this purpose alone.
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
