/// The encoding Base64 (RFC 4648 §4).
package enum Base64 {
    /// The text of some bytes, padded, on one line.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; white space, which some formats break lines with, does not count.
    ///
    /// `nil` when any other character is outside of the alphabet, or the padding is not what it should be.
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
                guard pads == 0, let value = value(of: character) else { return nil }
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

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The first bytes of a group of 24 bits.
    private static func append(_ bits: Int, _ count: Int, to bytes: inout [UInt8]) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * place))) }
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
