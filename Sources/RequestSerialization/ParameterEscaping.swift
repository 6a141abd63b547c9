/// The escapes of queries and forms: the UTF-8 of a text, percent-encoded (RFC 3986 §2.1) in upper case.
///
/// As they are stay letters and digits of ASCII and `-._~/?`: the unreserved characters, and the two that a query may
/// have besides (RFC 3986 §3.4).
enum ParameterEscaping {
    /// Appends a text with its escapes.
    static func append(_ text: String, to bytes: inout [UInt8], spaces: ParameterEncoding.SpaceStyle) {
        for byte in text.utf8 {
            if isUnescaped(byte) {
                bytes.append(byte)
            } else if byte == UInt8(ascii: " "), spaces == .plus {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(hexadecimalDigit(byte >> 4))
                bytes.append(hexadecimalDigit(byte & 0xF))
            }
        }
    }

    private static func isUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
            true
        default:
            false
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
