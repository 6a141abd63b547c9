import ErrandTransfer

/// The content of one streamed response between its transfer and its reader: a value without I/O.
///
/// ```
/// no response ──begin──▶ held ──begin──▶ held or streamed
///      │                  └──end without an error──▶ streamed, ended
///      └────────begin──▶ streamed ──end──▶ ended
/// ```
///
/// A streamed response goes to the reader while it comes: at most ``maxBufferedBytes``, and one piece of the transport,
/// wait for the reader, and the transfer is paused meanwhile. A held response stays in memory until its end decides
/// about it. Once a response is streamed, no other can begin.
struct StreamMachine: Sendable {
    /// The number of waiting bytes from which on the transfer is paused: 256 KiB.
    static let maxBufferedBytes = 256 * 1024

    /// The head of the response that the reader gets; `nil` as long as there is none.
    private(set) var head: ResponseHead?
    /// The number of received bytes of the current response.
    private(set) var received: Int64 = 0
    /// True if the response goes somewhere else than to the reader.
    private(set) var isDiverted = false
    /// True after the end of the task.
    private(set) var isEnded = false
    private var bytes: [UInt8] = []
    private var isPaused = false
    private var error: SessionError?

    /// A step of the reader.
    enum Step: Sendable {
        /// There is nothing to read yet.
        case wait
        /// Content, and true if the transfer was paused and must be resumed.
        case bytes([UInt8], resumes: Bool)
        /// The end of the content.
        case end
        /// The failure of the response, reported once.
        case fail(SessionError)
    }

    /// True if the reader has a response, or will never have one.
    var isDecided: Bool { head != nil || isDiverted || isEnded }

    /// True if the reader need not wait.
    var isReadable: Bool { isEnded || (head != nil && !bytes.isEmpty) }

    /// The content of a held response; `nil` for a streamed one.
    var held: [UInt8]? { head == nil ? bytes : nil }

    /// Begins a response.
    ///
    /// - Parameter isStreamed: True to stream its content; false to hold it.
    /// - Returns: False if another response is streamed already.
    mutating func begin(_ head: ResponseHead, isStreamed: Bool) -> Bool {
        guard self.head == nil else { return false }
        bytes = []
        received = 0
        if isStreamed { self.head = head }
        return true
    }

    /// Appends content.
    ///
    /// - Parameter maxHeldBytes: The maximum size of a held response.
    mutating func append(_ span: RawSpan, maxHeldBytes: Int64) -> ReceiveDecision {
        received += Int64(span.byteCount)
        guard head != nil || received <= maxHeldBytes else {
            return .stop(.bodyTooLarge(limit: maxHeldBytes))
        }
        // Safe: the chunk is copied while the span is borrowed, and no pointer into it is retained.
        unsafe span.withUnsafeBytes { chunk in
            unsafe bytes.append(contentsOf: chunk)
        }
        guard head != nil, bytes.count >= Self.maxBufferedBytes else { return .more }
        isPaused = true
        return .pause
    }

    /// Drops the content of a held response.
    mutating func discard() {
        if head == nil { bytes = [] }
    }

    /// Records that the response goes somewhere else: there is nothing to read.
    mutating func divert() {
        isDiverted = true
        bytes = []
    }

    /// Records the end of the task.
    ///
    /// - Parameters:
    ///   - head: The head of its last response, which is streamed now if it was held and there is no error.
    ///   - error: The error of the task; `nil` for success. The reader gets it after the content.
    mutating func end(_ head: ResponseHead?, _ error: SessionError?) {
        guard !isEnded else { return }
        isEnded = true
        self.error = error
        if self.head == nil {
            if error == nil, !isDiverted { self.head = head } else { bytes = [] }
        }
    }

    /// Takes all waiting content.
    mutating func read() -> Step {
        if head != nil, !bytes.isEmpty {
            defer {
                bytes = []
                isPaused = false
            }
            return .bytes(bytes, resumes: isPaused)
        }
        guard isEnded else { return .wait }
        guard let error else { return .end }
        self.error = nil
        return .fail(error)
    }
}
