/// The content of a request as it arrives.
///
/// A stream has one reader. Reading slowly slows the client: the server holds no more than its buffer limit and then
/// stops taking bytes from the connection. Parts are not aligned with anything that the client did.
public struct RequestBodyStream: AsyncSequence, Sendable {
    /// A part of the content, never empty.
    public typealias Element = [UInt8]
    /// What a stream fails with.
    public typealias Failure = RequestBodyError

    private let buffer: RequestBodyBuffer

    init(buffer: RequestBodyBuffer) {
        self.buffer = buffer
    }

    /// Creates a stream of content that is there already.
    public init(_ bytes: [UInt8]) {
        let (stream, source) = Self.makeStream(bufferLimitBytes: .max, onDemand: {})
        self = stream
        _ = source.offer(bytes)
        source.finish()
    }

    /// Creates a stream and the source that a server fills it with.
    ///
    /// - Parameters:
    ///   - bufferLimitBytes: How many unread bytes are enough for the source to be told that the stream is full.
    ///   - onDemand: Called, on any thread, when a full stream has been read and wants more.
    public static func makeStream(
        bufferLimitBytes: Int, onDemand: @escaping @Sendable () -> Void
    ) -> (stream: RequestBodyStream, source: RequestBodySource) {
        let buffer = RequestBodyBuffer(limitBytes: bufferLimitBytes, onDemand: onDemand)
        return (RequestBodyStream(buffer: buffer), RequestBodySource(buffer: buffer))
    }

    /// Starts to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer: buffer)
    }

    /// Reads the whole content into memory.
    ///
    /// - Parameter limitBytes: The longest content to accept.
    /// - Throws: ``RequestBodyError/tooLarge(limitBytes:)`` above the limit, and whatever the stream fails with.
    public func collect(limitBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        var collected: [UInt8] = []
        var parts = makeAsyncIterator()
        while let part = try await parts.next() {
            guard part.count <= limitBytes - collected.count else { throw .tooLarge(limitBytes: limitBytes) }
            collected.append(contentsOf: part)
        }
        return collected
    }

    /// Reads a ``RequestBodyStream``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let buffer: RequestBodyBuffer

        /// The next part, `nil` after the last one.
        ///
        /// - Throws: ``RequestBodyError``; parts that arrived before a failure are given first.
        public mutating func next() async throws(RequestBodyError) -> [UInt8]? {
            try await buffer.next()
        }

        /// The next part, `nil` after the last one.
        ///
        /// - Throws: ``RequestBodyError``; parts that arrived before a failure are given first.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RequestBodyError) -> [UInt8]? {
            try await buffer.next()
        }
    }
}
