/// A charset, an encoding of text as bytes (RFC 2978), by its name in the WHATWG Encoding Standard.
///
/// Labels have the meaning that the web gives them, not that of their registrations: `iso-8859-1` and `us-ascii` are
/// windows-1252, `gb2312` is gb18030, and `shift_jis` includes the characters that Windows adds. Encodings that the
/// standard excludes as dangerous (UTF-7, HZ, ISO-2022-CN, ISO-2022-KR) are not supported. UTF-32, which is not in the
/// standard, is.
package struct Charset: Sendable, Hashable {
    /// The name in the standard, in lower case: `utf-8`, `windows-1252`.
    package let name: String
    private let encoding: Encoding

    /// The decoder of a charset.
    enum Encoding: Sendable, Hashable {
        case utf8
        case utf16(ByteOrder)
        case utf32(ByteOrder)
        case windows1252
        case library(LibraryEncoding)
    }

    init(_ name: String, _ encoding: Encoding) {
        self.name = name
        self.encoding = encoding
    }

    /// Finds the charset of a label, such as the value of a `charset` parameter; returns `nil` if it is unknown.
    ///
    /// Case and surrounding whitespace are ignored.
    package init?(label: String) {
        guard let charset = CharsetLabels.charset(label) else { return nil }
        self = charset
    }

    /// UTF-8 (RFC 3629).
    package static let utf8 = Self("utf-8", .utf8)
    /// windows-1252, the fallback: every byte has a meaning in it.
    static let windows1252 = Self("windows-1252", .windows1252)

    /// Decodes bytes as text.
    ///
    /// The charset is that of the byte order mark, else of the label, else UTF-8 if the bytes are valid, else
    /// windows-1252. The mark takes precedence over the label, as in browsers (Encoding Standard, "decode"): a mark is
    /// hardly ever accidental, and wrong labels are frequent. A label that is unknown, or whose charset the C library
    /// of this machine lacks, is ignored.
    ///
    /// - Parameter label: The `charset` parameter of the content type.
    package static func decode(_ bytes: [UInt8], label: String?) -> DecodedText {
        if let text = decodeAsDeclared(bytes, label: label) { return text }
        if let text = String(validating: bytes, as: UTF8.self) {
            return DecodedText(text: text, charset: .utf8, isWellFormed: true)
        }
        return DecodedText(text: Windows1252.decode(bytes[...]), charset: .windows1252, isWellFormed: true)
    }

    /// Decodes bytes as text like ``decode(_:label:)``, but without a guess.
    ///
    /// Returns `nil` if neither a byte order mark nor the label names a supported charset.
    package static func decodeAsDeclared(_ bytes: [UInt8], label: String?) -> DecodedText? {
        if let mark = ByteOrderMark(bytes) { return mark.charset.decode(bytes[mark.length...]) }
        return label.flatMap(Charset.init(label:))?.decode(bytes[...])
    }

    /// Decodes bytes in this charset; returns `nil` if the C library of this machine lacks it.
    ///
    /// Malformed sequences become U+FFFD. A byte order mark is treated as an ordinary character.
    package func decode(_ bytes: ArraySlice<UInt8>) -> DecodedText? {
        let text: String
        let isWellFormed: Bool
        switch encoding {
        case .utf8: (text, isWellFormed) = UnicodeDecoder.utf8(bytes)
        case .utf16(let order): (text, isWellFormed) = UnicodeDecoder.utf16(bytes, order)
        case .utf32(let order): (text, isWellFormed) = UnicodeDecoder.utf32(bytes, order)
        case .windows1252: (text, isWellFormed) = (Windows1252.decode(bytes), true)
        case .library(let encoding):
            guard let decoder = LibraryDecoder(encoding) else { return nil }
            (text, isWellFormed) = decoder.decode(bytes)
        }
        return DecodedText(text: text, charset: self, isWellFormed: isWellFormed)
    }
}

/// The result of decoding bytes in a charset.
package struct DecodedText: Sendable, Hashable {
    /// The text, without a byte order mark.
    package var text: String
    /// The charset of the bytes.
    package var charset: Charset
    /// A Boolean value that indicates whether the bytes are well-formed; if not, the text contains U+FFFD.
    package var isWellFormed: Bool
}
