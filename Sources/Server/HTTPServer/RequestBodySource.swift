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
        /// Wait until the stream's `onDemand` is called.
        case full
    }

    /// Appends the next bytes, even if the stream is full.
    ///
    /// After the end they are dropped.
    public func offer(_ bytes: [UInt8]) -> Demand {
        buffer.offer(bytes)
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
}
