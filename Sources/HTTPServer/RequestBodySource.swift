/// The end of a ``RequestBodyStream`` that a server fills.
///
/// Any thread.
public struct RequestBodySource: Sendable {
    private let buffer: RequestBodyBuffer

    init(buffer: RequestBodyBuffer) {
        self.buffer = buffer
    }

    /// What a source should do after an offer.
    public enum Demand: Sendable, Hashable {
        /// Go on.
        case more
        /// Wait until the stream's `onDemand` is called.
        case full
    }

    /// Gives the next bytes, which are always taken, even by a full stream.
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
