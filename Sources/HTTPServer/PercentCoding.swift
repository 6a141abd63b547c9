/// Percent-decoding into text (RFC 3986 §2.1).
enum PercentCoding {
    /// The text that `bytes` stand for, or `nil` when an escape is broken, is NUL, or makes invalid UTF-8.
    static func decoded(_ bytes: some Collection<UInt8>) -> String? {
        guard let octets = octets(bytes, plusIsSpace: false) else { return nil }
        return String(validating: octets, as: UTF8.self)
    }

    /// Whether ``decoded(_:)`` has an answer.
    static func isDecodable(_ bytes: Substring.UTF8View) -> Bool {
        guard bytes.contains(UInt8(ascii: "%")) else { return true }
        return decoded(bytes) != nil
    }

    /// The text of a form's name or value, with `+` for a space.
    ///
    /// The bytes have been checked: what cannot be decoded all the same is given as it is.
    static func decodedFormText(_ bytes: Substring.UTF8View) -> String {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }),
            let octets = octets(bytes, plusIsSpace: true), let text = String(validating: octets, as: UTF8.self)
        else { return String(bytes) ?? "" }
        return text
    }

    private static func octets(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var octets: [UInt8] = []
        octets.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimalValue), let low = rest.next().flatMap(hexadecimalValue)
                else { return nil }
                let octet = high << 4 | low
                guard octet != 0 else { return nil }
                octets.append(octet)
            case UInt8(ascii: "+") where plusIsSpace:
                octets.append(UInt8(ascii: " "))
            default:
                octets.append(byte)
            }
        }
        return octets
    }

    private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
