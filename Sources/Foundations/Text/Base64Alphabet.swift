/// The 64 characters of an encoding (RFC 4648 §4 and §5).
struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(lastCharacters: "+/")
    static let urlSafe = Base64Alphabet(lastCharacters: "-_")

    private let characters: [UInt8]

    private init(lastCharacters: String) {
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(lastCharacters)".utf8)
    }

    /// Returns the characters for bytes, without padding.
    func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(characters[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(characters[Int(buffer << (6 - bits) & 63)]) }
        return text
    }

    /// Returns the value of a character; `nil` for one that is not in the alphabet.
    func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0")) + 52
        case characters[62]: 62
        case characters[63]: 63
        default: nil
        }
    }
}
