/// A byte order mark, U+FEFF at the start of a text, which identifies the charset (The Unicode Standard, §2.13).
///
/// The mark of little-endian UTF-32 could also be that of little-endian UTF-16 followed by U+0000, but no text begins
/// so.
struct ByteOrderMark {
    /// The charset of the mark.
    let charset: Charset
    /// The number of its bytes.
    let length: Int

    /// Detects the mark at the start of `bytes`; returns `nil` if there is none.
    init?(_ bytes: [UInt8]) {
        guard let mark = Self.marks.first(where: { bytes.starts(with: $0.bytes) }) else { return nil }
        charset = mark.charset
        length = mark.bytes.count
    }

    /// The marks; a mark stands before those that are a prefix of it.
    private static let marks: [(bytes: [UInt8], charset: Charset)] = [
        ([0x00, 0x00, 0xFE, 0xFF], Charset("utf-32be", .utf32(.bigEndian))),
        ([0xFF, 0xFE, 0x00, 0x00], Charset("utf-32le", .utf32(.littleEndian))),
        ([0xEF, 0xBB, 0xBF], .utf8),
        ([0xFE, 0xFF], Charset("utf-16be", .utf16(.bigEndian))),
        ([0xFF, 0xFE], Charset("utf-16le", .utf16(.littleEndian))),
    ]
}
