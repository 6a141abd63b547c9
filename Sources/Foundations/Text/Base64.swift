/// Base64 encoding (RFC 4648 §4).
package enum Base64 {
    /// Returns the encoding of bytes, padded, on one line.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64Alphabet.standard.encode(bytes)
        while !text.count.isMultiple(of: 4) { text.append(padding) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; whitespace, which some formats use to break lines, is ignored.
    ///
    /// Returns `nil` if another character is outside the alphabet, or the padding is wrong.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var (bits, digits, pads) = (0, 0, 0)
        for character in text.utf8 {
            switch character {
            case 0x20, 0x09, 0x0A, 0x0D:
                continue
            case padding:
                pads += 1
            default:
                guard pads == 0, let value = Base64Alphabet.standard.value(of: character) else { return nil }
                bits = (bits << 6 | value) & 0xFF_FFFF
                digits += 1
                if digits.isMultiple(of: 4) { append(bits, 3, to: &bytes) }
            }
        }
        switch (digits % 4, pads) {
        case (0, 0): break
        case (2, 2): append(bits << 12, 1, to: &bytes)
        case (3, 1): append(bits << 6, 2, to: &bytes)
        default: return nil
        }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")

    /// Appends the first bytes of a group of 24 bits.
    private static func append(_ bits: Int, _ count: Int, to bytes: inout [UInt8]) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * place))) }
    }
}
