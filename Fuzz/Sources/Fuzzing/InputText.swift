/// The parts of an input, for readers that take several texts.
enum InputText {
    /// The bytes as text, what is not UTF-8 replaced.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }

    /// The bytes as text, each of them a character of ISO 8859-1 where they are not UTF-8: as fields of HTTP are read.
    static func fieldText(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return String(scalars)
    }

    /// The lines of an input without their line feeds; there is at least one.
    static func lines(_ input: [UInt8]) -> [ArraySlice<UInt8>] {
        input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}
