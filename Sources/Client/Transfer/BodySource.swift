/// A source of the content of a request, read piece by piece on the transport's thread.
///
/// Methods must return quickly without blocking.
public protocol BodySource: AnyObject, Sendable {
    /// The total number of bytes, or `nil`: the content is then sent chunked (HTTP/1.1).
    var length: Int64? { get }
    /// Called before a transfer reads from the source, the first time or after ``end()``.
    ///
    /// - Parameter resume: A closure to call, on any thread, when bytes are available again after
    ///   ``SourceAnswer/pause``.
    func begin(resume: @escaping @Sendable () -> Void)
    /// Called when the transfer stops reading, at the end or before; the source may close its resources.
    func end()
    /// Called when no other transfer follows; a source that works ahead may stop.
    ///
    /// A transfer that still reads is not affected before its ``end()``.
    func abandon()
    /// Writes the next bytes into `buffer`, which has room for at least one.
    func read(into buffer: inout OutputRawSpan) -> SourceAnswer
    /// Rewinds to the first byte for a resend; returns `false` if that is impossible.
    func rewind() -> Bool
    /// True if bytes were taken from content that can be read only once, so that no other transfer can send it.
    var isSpent: Bool { get }
    /// The error of the program for which the last ``read(into:)`` has failed; `nil` if there is none.
    var failure: (any Error)? { get }
    /// The SHA-256 digest of the whole content, 32 bytes, if it is known before the content is read.
    var sha256: [UInt8]? { get }
    /// True if the content can be read any number of times, so that it may be read for its digest before it is sent.
    ///
    /// Then ``rewind()`` always succeeds.
    var isRepeatable: Bool { get }
}

extension BodySource {
    /// Does nothing: the default for a source that never pauses.
    public func begin(resume: @escaping @Sendable () -> Void) {}
    /// Does nothing: the default for a source without resources to close.
    public func end() {}
    /// Does nothing: the default for a source that does not work while no transfer reads.
    public func abandon() {}
    /// False: the default for a source that can be rewound.
    public var isSpent: Bool { false }
    /// `nil`: the default for a source that does not call code of the program.
    public var failure: (any Error)? { nil }
    /// `nil`: the default for a source that does not know its digest.
    public var sha256: [UInt8]? { nil }
    /// False: the default for a source whose content is read only to send it.
    public var isRepeatable: Bool { false }
}

/// The result of reading from a body source.
public enum SourceAnswer: Sendable {
    /// Bytes were written into the buffer.
    case bytes
    /// No bytes are available now: ``TransferControl/resumeSending()`` will be called when there are.
    case pause
    /// The content is complete.
    case end
    /// Reading failed; the transfer ends with this error.
    case failed(TransferError)
}
