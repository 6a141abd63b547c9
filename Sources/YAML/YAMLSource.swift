/// The bytes of a YAML text, checked: UTF-8 and nothing but the characters that YAML allows.
///
/// libyaml checks both too, but for a bad byte it gives an offset only, and it reads UTF-16.
struct YAMLSource {
    /// The text without a byte order mark.
    let bytes: ArraySlice<UInt8>

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Checks a text.
    init(_ text: [UInt8], limits: YAMLLimits) throws(YAMLError) {
        guard text.count <= limits.maxBytes else {
            throw YAMLError(.limit, at: .start, "the text has more than \(limits.maxBytes) bytes")
        }
        guard !Self.isUTF16(text) else {
            throw YAMLError(.encoding, at: .start, "the text is UTF-16: write it in UTF-8")
        }
        bytes = text.starts(with: Self.byteOrderMark) ? text.dropFirst(Self.byteOrderMark.count) : text[...]
        try Self.check(bytes)
    }

    /// A byte order mark of UTF-16 (UTF-32 begins with the same one), or a NUL among the first two bytes, which ASCII
    /// text in UTF-16 always has.
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
                    let number = YAMLText.hexadecimal(scalar.value, digits: 4)
                    throw YAMLError(.encoding, at: position.mark, "the character U+\(number) is not allowed")
                }
                position.advance(over: scalar)
            }
        }
    }

    /// YAML 1.1 §5.1, `c-printable`; a byte order mark may only begin the text.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0x09, 0x0A, 0x0D, 0x85, 0xA0...0xD7FF, 0x10000...0x10FFFF: true
        case 0xE000...0xFFFD: scalar.value != 0xFEFF
        default: false
        }
    }
}
