/// Hexadecimal text (RFC 4648 §8).
///
/// Public, because the compiler inlines public functions into other modules, and package functions never.
public enum Hexadecimal {
    /// Returns two lower-case digits for each byte.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends two lower-case digits for each byte.
    public static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 0xF))
        }
    }

    /// Decodes digits in either case; returns `nil` for other characters or an odd number of digits.
    public static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// Returns the digits of a number, with leading zeros up to a number of digits.
    public static func text(
        _ number: some BinaryInteger, minimumDigits: Int, isUppercase: Bool = false
    ) -> String {
        let digits = String(number, radix: 16, uppercase: isUppercase)
        return String(repeating: "0", count: max(0, minimumDigits - digits.utf8.count)) + digits
    }

    /// Returns the lower-case digit of a value from 0 to 15.
    @inlinable
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// Returns the upper-case digit of a value from 0 to 15.
    @inlinable
    public static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }

    /// Returns the value of a digit in either case; `nil` for other bytes.
    @inlinable
    public static func value(of digit: UInt8) -> UInt8? {
        if digit.isASCIIDigit { return digit - UInt8(ascii: "0") }
        let letter = (digit | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}
