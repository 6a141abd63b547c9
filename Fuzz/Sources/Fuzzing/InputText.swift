/// The parts of an input, for parsers that need several texts.
enum InputText {
    /// Returns the bytes as text, with invalid UTF-8 replaced.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }

    /// Returns the bytes as text in UTF-8, or else in ISO 8859-1, as HTTP fields are decoded.
    static func fieldText(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return String(scalars)
    }

    /// Returns the lines of an input without their line feeds; there is at least one.
    static func lines(_ input: [UInt8]) -> [ArraySlice<UInt8>] {
        input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}
