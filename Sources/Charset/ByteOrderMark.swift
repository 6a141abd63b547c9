/// U+FEFF at the beginning of a text, which tells the charset (The Unicode Standard, §2.13).
///
/// What begins with the mark of little-endian UTF-32 could also be little-endian UTF-16 that begins with U+0000, but no
/// text does.
struct ByteOrderMark {
    /// The charset that it tells.
    let charset: Charset
    /// The number of its bytes.
    let length: Int

    /// The mark that `bytes` begin with; `nil` when there is none.
    init?(_ bytes: [UInt8]) {
        guard let mark = Self.marks.first(where: { bytes.starts(with: $0.bytes) }) else { return nil }
        charset = mark.charset
        length = mark.bytes.count
    }

    /// A mark that begins like another one stands before it.
    private static let marks: [(bytes: [UInt8], charset: Charset)] = [
        ([0x00, 0x00, 0xFE, 0xFF], Charset("utf-32be", .utf32(.bigEndian))),
        ([0xFF, 0xFE, 0x00, 0x00], Charset("utf-32le", .utf32(.littleEndian))),
        ([0xEF, 0xBB, 0xBF], .utf8),
        ([0xFE, 0xFF], Charset("utf-16be", .utf16(.bigEndian))),
        ([0xFF, 0xFE], Charset("utf-16le", .utf16(.littleEndian))),
    ]
}
