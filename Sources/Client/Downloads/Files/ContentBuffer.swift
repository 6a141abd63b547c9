import ErrandTransfer

/// The content that was received but not yet written: a value without I/O.
///
/// One piece at a time is written, while the next one is filled.
struct ContentBuffer: Sendable {
    /// The size from which on a piece is written.
    static let pieceBytes = 256 * 1024

    private var buffer: [UInt8] = []
    private var isWriting = false
    private var isPaused = false

    /// Appends bytes.
    ///
    /// - Returns: The decision for the transport, and a piece to write, if any.
    mutating func append(_ bytes: RawSpan) -> (ReceiveDecision, piece: [UInt8]?) {
        bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
        guard buffer.count >= Self.pieceBytes else { return (.more, nil) }
        guard isWriting else {
            isWriting = true
            return (.more, takeRest())
        }
        isPaused = true
        return (.pause, nil)
    }

    /// Records that a piece was written.
    ///
    /// - Returns: The next piece to write, if it is full; the transport may resume then.
    mutating func didWrite() -> [UInt8]? {
        guard isPaused else {
            isWriting = false
            return nil
        }
        isPaused = false
        return takeRest()
    }

    /// Returns the bytes that are not in a piece being written, and forgets them.
    mutating func takeRest() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    /// Drops everything.
    ///
    /// - Returns: True if the transport was paused, and may resume.
    mutating func drop() -> Bool {
        defer { self = ContentBuffer() }
        return isPaused
    }
}
