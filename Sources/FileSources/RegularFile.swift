/// A regular file that is open for reading.
///
/// Closed when it goes.
struct RegularFile: ~Copyable, Sendable {
    private let file: OpenFile
    /// The number of bytes when it was opened.
    let length: Int64

    /// Takes over a file that was found to be a regular one.
    init(_ file: consuming OpenFile, length: Int64) {
        self.file = file
        self.length = length
    }

    /// Reads up to `count` bytes from `offset` on into `bytes`, instead of what is there; fewer only at the end of the
    /// file.
    borrowing func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SystemFailure) {
        try file.read(count, at: offset, into: &bytes)
    }
}
