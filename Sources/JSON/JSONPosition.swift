/// A place in a text, as editors count: from 1, columns in Unicode scalars.
public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line, ended by LF, CR or both together.
    public var line: Int
    /// The column.
    public var column: Int

    /// Finds the place of a byte.
    ///
    /// An offset behind the end is the end; a byte order mark does not count.
    public init(offset: Int, in bytes: [UInt8]) {
        line = 1
        column = 1
        var index = bytes.starts(with: JSONScanner.byteOrderMark) ? 3 : 0
        let end = min(offset, bytes.count)
        while index < end {
            let byte = bytes[index]
            index += 1
            // The CR of a CR LF stands on the line that both together end.
            if byte == 0x0A || (byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A)) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    /// The place in words: `line 2, column 5`.
    public var description: String { "line \(line), column \(column)" }
}
