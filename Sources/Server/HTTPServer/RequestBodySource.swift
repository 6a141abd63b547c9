/// The writing end of a ``RequestBodyStream``, which a server fills.
///
/// Thread-safe.
public struct RequestBodySource: Sendable {
    private let buffer: RequestBodyBuffer

    init(buffer: RequestBodyBuffer) {
        self.buffer = buffer
    }

    /// The answer to an offer, which tells the source whether to continue.
    public enum Demand: Sendable, Hashable {
        /// Continue.
        case more
        /// Wait until the stream's `onDemand` is called: it has unread bytes up to its limit, or any before the first
        /// read.
        case full
    }

    /// Appends the next bytes, even if the stream is full.
    ///
    /// After the end they are dropped.
    public func offer(_ bytes: [UInt8]) -> Demand {
        buffer.offer(bytes)
    }

    /// Lets the stream take bytes up to its limit, although it was not read yet.
    ///
    /// A source that waits goes on if this returns true, and otherwise waits for `onDemand` as before.
    ///
    /// - Returns: True if the stream was full only because it was not read yet. Always false from the second call on.
    @discardableResult
    package func liftUnreadLimit() -> Bool {
        buffer.liftUnreadLimit()
    }

    /// Ends the content.
    ///
    /// Later calls change nothing.
    public func finish() {
        buffer.end(.finished)
    }

    /// Ends the stream with an error.
    ///
    /// Later calls change nothing.
    public func fail(_ error: RequestBodyError) {
        buffer.end(.failed(error))
    }

    /// Ends the stream and drops the bytes that were not read, because the handler has responded without them.
    ///
    /// Later reads throw ``RequestBodyError/canceled``. After the end of the content it changes nothing.
    package func discard() {
        buffer.discard(.canceled)
    }
}
