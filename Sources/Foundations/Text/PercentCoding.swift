/// Percent-encoding (RFC 3986 §2.1), for any set of characters that need no escape.
///
/// Public, because the compiler inlines public functions into other modules, and package functions never.
public enum PercentCoding {
    /// Appends bytes; each that is not in `kept` becomes `%` and two upper-case digits.
    ///
    /// - Parameters:
    ///   - kept: The characters that stay as they are.
    ///   - spaceIsPlus: True to write a space as `+`, as in a form.
    ///   - text: The text to append to.
    @inlinable
    public static func append(
        _ bytes: some Sequence<UInt8>, keeping kept: ASCIISet, spaceIsPlus: Bool = false, to text: inout [UInt8]
    ) {
        for byte in bytes {
            if kept.contains(byte) {
                text.append(byte)
            } else if spaceIsPlus, byte == UInt8(ascii: " ") {
                text.append(UInt8(ascii: "+"))
            } else {
                appendEscape(of: byte, to: &text)
            }
        }
    }

    /// Returns the encoding of bytes; each that is not in `kept` becomes `%` and two upper-case digits.
    @inlinable
    public static func encode(
        _ bytes: some Sequence<UInt8>, keeping kept: ASCIISet = .unreserved, spaceIsPlus: Bool = false
    ) -> String {
        var text: [UInt8] = []
        append(bytes, keeping: kept, spaceIsPlus: spaceIsPlus, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the encoding of bytes of which some are escaped already; those escapes stay as they are.
    @inlinable
    public static func encodeKeepingEscapes(
        _ bytes: some Collection<UInt8>, keeping kept: ASCIISet
    ) -> String {
        if bytes.allSatisfy({ kept.contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            let next = bytes.index(after: index)
            if kept.contains(byte) || byte == UInt8(ascii: "%") && escapedByte(in: bytes, after: next) != nil {
                text.append(byte)
            } else {
                appendEscape(of: byte, to: &text)
            }
            index = next
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes escapes; a `%` that two digits do not follow stays as it is.
    ///
    /// - Parameters:
    ///   - bytes: The escaped text.
    ///   - plusIsSpace: True to read a `+` as a space, as in a form.
    @inlinable
    public static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == UInt8(ascii: "%"), let escaped = escapedByte(in: bytes, after: index) {
                decoded.append(escaped)
                bytes.formIndex(&index, offsetBy: 2)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }

    /// Decodes escapes; returns `nil` if two digits do not follow a `%`.
    ///
    /// - Parameters:
    ///   - bytes: The escaped text.
    ///   - plusIsSpace: True to read a `+` as a space, as in a form.
    @inlinable
    public static func decodeStrictly(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.underestimatedCount)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next().flatMap(Hexadecimal.value),
                    let low = rest.next().flatMap(Hexadecimal.value)
                else { return nil }
                decoded.append(high << 4 | low)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }

    /// Returns the decoded text; `nil` if that is not UTF-8.
    ///
    /// A `%` that two digits do not follow stays as it is.
    ///
    /// - Parameter plusIsSpace: True for `+` as an escaped space, as in query items. Default: false.
    public static func decodedText(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        let hasEscapes = text.utf8.contains { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }
        guard hasEscapes else { return String(text) }
        return String(validating: decode(Array(text.utf8), plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// Returns the value of the two hexadecimal digits at `index`, which follow a `%`; `nil` if there are not two.
    @inlinable
    public static func escapedByte<Bytes: Collection<UInt8>>(in bytes: Bytes, after index: Bytes.Index) -> UInt8? {
        guard index != bytes.endIndex, let high = Hexadecimal.value(of: bytes[index]) else { return nil }
        let next = bytes.index(after: index)
        guard next != bytes.endIndex, let low = Hexadecimal.value(of: bytes[next]) else { return nil }
        return high << 4 | low
    }

    /// Appends `%` and the two upper-case digits of a byte.
    @inlinable
    public static func appendEscape(of byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "%"))
        text.append(Hexadecimal.uppercaseDigit(byte >> 4))
        text.append(Hexadecimal.uppercaseDigit(byte & 0xF))
    }
}
