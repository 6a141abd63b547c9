/// Escapes as RFC 3986 §2.1 writes them.
package enum PercentEncoding {
    /// The part of a URL that is written, which says what may stand there as it is.
    enum Component {
        case path
        case query
    }

    /// Writes `bytes` so that nothing stands in them that `component` does not allow.
    ///
    /// Escapes that are there stay.
    static func encode(_ bytes: some BidirectionalCollection<UInt8>, for component: Component) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            let next = bytes.index(after: index)
            if isAllowed(byte, in: component)
                || byte == UInt8(ascii: "%") && escapedByte(in: bytes, after: next) != nil
            {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(hexadecimalDigit(byte >> 4))
                encoded.append(hexadecimalDigit(byte & 0xF))
            }
            index = next
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The text that `text` stands for; `nil` when that is not UTF-8.
    ///
    /// A `%` that begins no escape stands for itself.
    package static func decoded(_ text: some StringProtocol) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "%")) else { return String(text) }
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let byte = escapedByte(in: bytes, after: index + 1) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// The byte that the two characters at `index`, which follow a `%`, stand for.
    static func escapedByte<Bytes: Collection<UInt8>>(in bytes: Bytes, after index: Bytes.Index) -> UInt8? {
        let digits = bytes[index...].prefix(2)
        guard digits.count == 2 else { return nil }
        return digits.reduce(into: UInt8?(0)) { value, digit in
            guard let high = value, let low = digit.hexadecimalValue else {
                value = nil
                return
            }
            value = high << 4 | low
        }
    }

    /// `pchar` and `/` of RFC 3986 §3.3, and `?` in a query (§3.4).
    private static func isAllowed(_ byte: UInt8, in component: Component) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "?"):
            component == .query
        default:
            "-._~!$&'()*+,;=:@/".utf8.contains(byte)
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
