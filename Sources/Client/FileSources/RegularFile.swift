import ErrandFiles

/// A regular file that is open for reading.
///
/// Closed when the value is destroyed.
struct RegularFile: ~Copyable, Sendable {
    private let file: OpenFile
    /// The number of bytes when it was opened.
    let length: Int64

    /// Takes ownership of an open file that is known to be a regular file.
    init(_ file: consuming OpenFile, length: Int64) {
        self.file = file
        self.length = length
    }

    /// Reads up to `count` bytes at `offset` and replaces `bytes` with them; reads fewer only at the end of the file.
    borrowing func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SystemFailure) {
        try file.read(count, at: offset, into: &bytes)
    }
}
