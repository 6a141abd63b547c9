/// The content of a request as it arrives.
///
/// A stream has one reader. Reading slowly slows the client: the server holds no more than its buffer limit, and before
/// the first read only one part, then stops reading from the connection. The boundaries of parts have no meaning.
public struct RequestBodyStream: AsyncSequence, Sendable {
    /// A part of the content, never empty.
    public typealias Element = [UInt8]
    /// The error that a stream throws.
    public typealias Failure = RequestBodyError

    private let buffer: RequestBodyBuffer

    init(buffer: RequestBodyBuffer) {
        self.buffer = buffer
    }

    /// Creates a stream of content that is already complete.
    public init(_ bytes: [UInt8]) {
        let (stream, source) = Self.makeStream(bufferLimitBytes: .max, onDemand: {})
        self = stream
        _ = source.offer(bytes)
        source.finish()
    }

    /// Creates a stream and the source that fills it.
    ///
    /// - Parameters:
    ///   - bufferLimitBytes: The number of unread bytes at which the source is told that the stream is full. Before the
    ///     first read each part fills it.
    ///   - onDemand: A closure that is called, on any thread, when a full stream was read and wants more.
    public static func makeStream(
        bufferLimitBytes: Int, onDemand: @escaping @Sendable () -> Void
    ) -> (stream: RequestBodyStream, source: RequestBodySource) {
        let buffer = RequestBodyBuffer(limitBytes: bufferLimitBytes, onDemand: onDemand)
        return (RequestBodyStream(buffer: buffer), RequestBodySource(buffer: buffer))
    }

    /// True if all of the content has arrived, read or not.
    ///
    /// It stays complete, whatever its client does then.
    public var isComplete: Bool { buffer.isComplete }

    /// Returns an iterator over the parts.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer: buffer)
    }

    /// Reads the whole content into memory.
    ///
    /// - Parameter limitBytes: The longest content to accept.
    /// - Throws: ``RequestBodyError/tooLarge(limitBytes:)`` above the limit, and any error of the stream.
    public func collect(limitBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        var collected: [UInt8] = []
        var parts = makeAsyncIterator()
        while let part = try await parts.next() {
            guard part.count <= limitBytes - collected.count else { throw .tooLarge(limitBytes: limitBytes) }
            collected.append(contentsOf: part)
        }
        return collected
    }

    /// An iterator over the parts of a ``RequestBodyStream``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let buffer: RequestBodyBuffer

        /// Returns the next part, or `nil` after the last one.
        ///
        /// - Throws: ``RequestBodyError``; parts that arrived before a failure are returned first.
        public mutating func next() async throws(RequestBodyError) -> [UInt8]? {
            try await buffer.next()
        }

        /// Returns the next part, or `nil` after the last one.
        ///
        /// - Throws: ``RequestBodyError``; parts that arrived before a failure are returned first.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RequestBodyError) -> [UInt8]? {
            try await buffer.next()
        }
    }
}
