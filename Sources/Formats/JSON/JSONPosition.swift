/// A position in a text, as in editors: counted from 1, with columns in Unicode scalars.
public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line; lines end with LF, CR or CR LF.
    public var line: Int
    /// The column.
    public var column: Int

    /// Creates the position of a byte.
    ///
    /// An offset after the end means the end; a byte order mark is not counted.
    public init(offset: Int, in bytes: [UInt8]) {
        line = 1
        column = 1
        var index = bytes.starts(with: JSONScanner.byteOrderMark) ? 3 : 0
        let end = min(offset, bytes.count)
        while index < end {
            let byte = bytes[index]
            index += 1
            // The CR of a CR LF belongs to the line that both end.
            if byte == 0x0A || (byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A)) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    /// The position in words: `line 2, column 5`.
    public var description: String { "line \(line), column \(column)" }
}
