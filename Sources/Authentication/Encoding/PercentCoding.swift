/// Percent-encoding that leaves nothing to interpretation: all but the unreserved characters (RFC 3986 §2.3) is escaped.
enum PercentCoding {
    /// What a `+` stands for in a text that is decoded.
    enum Plus {
        /// Itself, as in a path.
        case plus
        /// A space, as in a form.
        case space
    }

    /// Bytes as text, each that is neither unreserved nor `kept` as `%` and two upper-case digits.
    static func encode(_ bytes: some Sequence<UInt8>, keeping kept: UInt8? = nil) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || byte == kept {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A name or value of `application/x-www-form-urlencoded`: as ``encode(_:keeping:)``, but spaces as `+`.
    static func encodeForm(_ text: String) -> String {
        text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { encode($0) }.joined(separator: "+")
    }

    /// The bytes that an escaped text means; a `%` without two digits behind it stands for itself.
    static func decode(_ text: some StringProtocol, plus: Plus) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = byteOfDigits(rest.prefix(2)) {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") && plus == .space ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~".utf8.contains(byte)
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }

    private static func byteOfDigits(_ digits: ArraySlice<UInt8>) -> UInt8? {
        // A sign would satisfy the number's parser.
        guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else {
            return nil
        }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
