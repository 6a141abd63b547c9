/// A charset: how text is written as bytes (RFC 2978), by the names that the WHATWG's Encoding Standard gives it.
///
/// The names mean what the web has made of them, not what their registrations say: `iso-8859-1` and `us-ascii` are
/// windows-1252, `gb2312` is gb18030, `shift_jis` has the characters that Windows adds to it. The encodings that the
/// standard refuses as dangerous (UTF-7, HZ, ISO-2022-CN, ISO-2022-KR) are not known here either; UTF-32, which it does
/// not have, is.
package struct Charset: Sendable, Hashable {
    /// The standard's name for it, in lower case: `utf-8`, `windows-1252`.
    package let name: String
    private let encoding: Encoding

    /// Who decodes it.
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

    /// The charset with this label, such as a `charset` parameter has it; `nil` when it is unknown.
    ///
    /// Case and white space around the label do not matter.
    package init?(label: String) {
        guard let charset = CharsetLabels.charset(label) else { return nil }
        self = charset
    }

    /// UTF-8 (RFC 3629).
    package static let utf8 = Self("utf-8", .utf8)
    /// Every byte means something in windows-1252: the last resort.
    static let windows1252 = Self("windows-1252", .windows1252)

    /// Reads bytes as text: in the charset of their byte order mark, else of the label, else as UTF-8 if they are that,
    /// else as windows-1252.
    ///
    /// The mark wins over the label as in browsers (Encoding Standard, "decode"): there is hardly ever a mark by
    /// accident, and often a wrong label. A label that is unknown, or whose charset the C library of this machine
    /// lacks, is as good as none.
    ///
    /// - Parameter label: The `charset` parameter of the content type.
    package static func decode(_ bytes: [UInt8], label: String?) -> DecodedText {
        if let text = decodeAsDeclared(bytes, label: label) { return text }
        if let text = String(validating: bytes, as: UTF8.self) {
            return DecodedText(text: text, charset: .utf8, isWellFormed: true)
        }
        return DecodedText(text: Windows1252.decode(bytes[...]), charset: .windows1252, isWellFormed: true)
    }

    /// Reads bytes as text like ``decode(_:label:)``, but without a guess: `nil` when neither a byte order mark nor the
    /// label tells a charset that can be read.
    package static func decodeAsDeclared(_ bytes: [UInt8], label: String?) -> DecodedText? {
        if let mark = ByteOrderMark(bytes) { return mark.charset.decode(bytes[mark.length...]) }
        return label.flatMap(Charset.init(label:))?.decode(bytes[...])
    }

    /// Reads bytes as text in this charset; `nil` when the C library of this machine lacks it.
    ///
    /// What is malformed becomes U+FFFD. A byte order mark is a character like any other.
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
