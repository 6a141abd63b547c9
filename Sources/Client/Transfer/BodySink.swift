/// A destination for the content of one response.
///
/// `append` is called on the transport's thread and must not block; the other methods may be called from any thread.
///
/// ```
/// begin ─▶ append… ─▶ finish
///   ▲          └────▶ discard ──┐
///   └───────────────────────────┘
/// ```
///
/// An attempt that is repeated (after an authentication challenge) begins again after a discard. A discard may come
/// without a preceding `begin`, and more than once.
public protocol BodySink: AnyObject, Sendable {
    /// Begins to receive content, before its first byte, once a response has come whose content is wanted.
    ///
    /// - Parameter resume: A closure to call when there is room again after ``ReceiveDecision/pause``. Any thread.
    func begin(resume: @escaping @Sendable () -> Void)

    /// Begins to receive the content of a response, before its first byte.
    ///
    /// The transport calls it instead of ``begin(resume:)``. Default: calls ``begin(resume:)`` and proceeds.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - resume: As in ``begin(resume:)``.
    /// - Returns: The decision whether to receive the content.
    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision

    /// Returns the size limit of the content of a response, in bytes; `nil` for the limit of the session.
    ///
    /// Default: `nil`.
    func maxBytes(of head: ResponseHead) -> Int64?

    /// Takes all the bytes, unless it returns ``ReceiveDecision/stop(_:)``.
    func append(_ bytes: RawSpan) -> ReceiveDecision

    /// Waits until all content is stored, as durably as the sink promises.
    func finish() async throws(TransferError) -> ReceivedBody

    /// Discards the content received so far; afterwards nothing remains that could disturb a new `begin`.
    func discard() async
}

extension BodySink {
    /// Calls ``begin(resume:)`` and proceeds.
    public func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        begin(resume: resume)
        return .proceed
    }

    /// `nil`, the limit of the session.
    public func maxBytes(of head: ResponseHead) -> Int64? { nil }
}

/// The complete content of a response.
public struct ReceivedBody: Sendable {
    /// The number of bytes.
    public var size: Int64
    /// The SHA-256 of the bytes (32 bytes), if the sink computes one.
    public var sha256: [UInt8]?
    /// The bytes themselves.
    public var content: Content

    /// The location of the bytes of a received body.
    public enum Content: Sendable {
        /// In memory.
        case bytes([UInt8])
        /// In a store that can be read back.
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
