/// Bytes as a configuration writes them in hexadecimal digits, without anything between.
enum HexadecimalText {
    /// The bytes of a text; `nil` when it has other characters, or half a byte.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
