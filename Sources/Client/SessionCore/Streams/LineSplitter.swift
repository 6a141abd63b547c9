/// The lines of content that comes in pieces: a value without I/O.
///
/// A line ends with LF or CR LF, which may be in two pieces; the last line needs no end. Of the content only the part
/// after the last complete line is kept.
struct LineSplitter: Sendable {
    /// The maximum number of bytes of a line, without its end.
    let maxBytes: Int
    private var bytes: [UInt8] = []
    /// The position of the next line.
    private var start = 0
    /// The position up to which ``bytes`` have no other line feed after ``start``.
    private var searched = 0
    private var isComplete = false

    /// A step of the reader.
    enum Step: Sendable, Equatable {
        /// More content is needed, or its end.
        case wait
        /// A line, without its end.
        case line([UInt8])
        /// The next line has more than the maximum number of bytes.
        case tooLong
        /// There are no more lines.
        case end
    }

    /// Creates a splitter of content that has not begun.
    ///
    /// - Parameter maxBytes: The maximum number of bytes of a line; less than 0 is 0, which only empty lines meet.
    init(maxBytes: Int) {
        self.maxBytes = max(maxBytes, 0)
    }

    /// Adds content, of which some is kept until its line is complete.
    mutating func append(_ piece: [UInt8]) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes.append(contentsOf: piece)
    }

    /// Records that all content has come.
    mutating func finish() {
        isComplete = true
    }

    /// Takes the next line.
    mutating func next() -> Step {
        if let end = bytes[searched...].firstIndex(of: Self.lineFeed) {
            let line = bytes[start..<end]
            start = end + 1
            searched = start
            return step(line.last == Self.carriageReturn ? line.dropLast() : line)
        }
        searched = bytes.count
        let rest = bytes[start...]
        guard isComplete else {
            // A carriage return at the end may belong to the end of the line.
            let count = rest.last == Self.carriageReturn ? rest.count - 1 : rest.count
            return count > maxBytes ? .tooLong : .wait
        }
        guard !rest.isEmpty else { return .end }
        start = bytes.count
        return step(rest)
    }

    private func step(_ line: ArraySlice<UInt8>) -> Step {
        line.count > maxBytes ? .tooLong : .line(Array(line))
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
