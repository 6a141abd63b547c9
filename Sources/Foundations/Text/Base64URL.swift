/// Base64 encoding for URLs, without padding (RFC 4648 §5).
package enum Base64URL {
    /// Returns the encoding of bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Base64Alphabet.urlSafe.encode(bytes), as: UTF8.self)
    }

    /// Decodes a text, of which there is one only for each sequence of bytes (RFC 4648 §3.5).
    ///
    /// Returns `nil` for another character, an impossible length, or bits beyond the last byte.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var (buffer, bits) = (0, 0)
        for character in text.utf8 {
            guard let value = Base64Alphabet.urlSafe.value(of: character) else { return nil }
            buffer = (buffer << 6 | value) & 0xFF_FFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}
