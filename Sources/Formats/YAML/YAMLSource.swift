import ErrandText

/// The validated bytes of a YAML text: UTF-8, with only the characters that YAML allows.
///
/// libyaml validates both too, but reports only an offset for an invalid byte, and accepts UTF-16.
struct YAMLSource {
    /// The text without a byte order mark.
    let bytes: ArraySlice<UInt8>

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Validates a text.
    init(_ text: [UInt8], limits: YAMLLimits) throws(YAMLError) {
        guard text.count <= limits.maxBytes else {
            throw YAMLError(.limit, at: .start, "the text has more than \(limits.maxBytes) bytes")
        }
        guard !Self.isUTF16(text) else {
            throw YAMLError(.encoding, at: .start, "the text is UTF-16; expected UTF-8")
        }
        bytes = text.starts(with: Self.byteOrderMark) ? text.dropFirst(Self.byteOrderMark.count) : text[...]
        try Self.check(bytes)
    }

    /// Returns true for UTF-16.
    ///
    /// The text then begins with a byte order mark (that of UTF-32 begins with the same bytes), or has a NUL in the
    /// first two bytes, as all ASCII text in UTF-16.
    private static func isUTF16(_ text: [UInt8]) -> Bool {
        guard text.count >= 2 else { return false }
        let start = (text[0], text[1])
        return start == (0xFE, 0xFF) || start == (0xFF, 0xFE) || start.0 == 0 || start.1 == 0
    }

    private static func check(_ bytes: ArraySlice<UInt8>) throws(YAMLError) {
        var position = YAMLPosition()
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput:
                return
            case .error:
                throw YAMLError(.encoding, at: position.mark, "the text is not valid UTF-8 here")
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                guard isAllowed(scalar) else {
                    let number = Hexadecimal.text(scalar.value, minimumDigits: 4, isUppercase: true)
                    throw YAMLError(.encoding, at: position.mark, "the character U+\(number) is not allowed")
                }
                position.advance(over: scalar)
            }
        }
    }

    /// Returns true for `c-printable` of YAML 1.1 §5.1; a byte order mark is allowed only at the start of the text.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0x09, 0x0A, 0x0D, 0x85, 0xA0...0xD7FF, 0x10000...0x10FFFF: true
        case 0xE000...0xFFFD: scalar.value != 0xFEFF
        default: false
        }
    }
}
