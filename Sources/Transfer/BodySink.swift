/// Where the content of one response is put, as it arrives.
///
/// `append` is called on the transport's thread and must not wait; everything else may come from anywhere.
///
/// ```
/// begin ─▶ append… ─▶ finish
///   ▲          └────▶ discard ──┐
///   └───────────────────────────┘
/// ```
///
/// An attempt that has to be made again (an upstream that asked who sends the request) begins anew after a discard.
/// A discard may come without a beginning, and more than once.
public protocol BodySink: AnyObject, Sendable {
    /// Called before the first byte, once a response is there whose content is wanted.
    ///
    /// - Parameter resume: To be called when there is room again after ``ReceiveDecision/pause``. Any thread.
    func begin(resume: @escaping @Sendable () -> Void)

    /// Takes the bytes, all of them, unless the answer is ``ReceiveDecision/stop(_:)``.
    func append(_ bytes: RawSpan) -> ReceiveDecision

    /// Waits until everything is where it belongs, as durable as the sink promises.
    func finish() async throws(TransferError) -> ReceivedBody

    /// Drops what has been taken; when it returns, nothing of it is left that could disturb a new beginning.
    func discard() async
}

/// The content of a response, received whole.
public struct ReceivedBody: Sendable {
    /// The number of bytes.
    public var size: Int64
    /// Their SHA-256 (32 bytes), where the sink computes one.
    public var sha256: [UInt8]?
    /// The bytes themselves.
    public var content: Content

    /// Where the bytes of a received body are.
    public enum Content: Sendable {
        /// In memory.
        case bytes([UInt8])
        /// In a place that can be read back.
        case stored(any StoredContent)
    }

    /// Creates a body from its parts.
    public init(size: Int64, sha256: [UInt8]? = nil, content: Content) {
        self.size = size
        self.sha256 = sha256
        self.content = content
    }

    /// A body without bytes.
    public static let empty = ReceivedBody(size: 0, content: .bytes([]))
}

/// Content that is kept outside of memory.
public protocol StoredContent: Sendable {
    /// Reads all of it into memory.
    func load() async throws(TransferError) -> [UInt8]
}
