import ErrandLocking
import ErrandTaskStore
import ErrandTransfer

/// The content of a request that a client is sending, passed on as it arrives: a body source that is read once.
///
/// The client is read only as fast as the upstream takes the bytes: ``StreamSource`` keeps little of them in memory.
/// Any thread.
final class ContentStream: BodySource {
    private let source: StreamSource
    private let state = Mutex(State())
    private let announce: AsyncStream<Void>.Continuation
    /// Ends when the transfer has taken all of the content.
    let taken: AsyncStream<Void>

    private struct State {
        var bytes: Int64 = 0
        var isTaken = false
    }

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - parts: The content.
    ///   - length: The number of bytes; `nil` if it is unknown.
    ///   - maxBytes: The size limit; `nil` for none.
    init<Parts: AsyncSequence & Sendable>(_ parts: Parts, length: Int64?, maxBytes: Int64?)
    where Parts.Element == [UInt8] {
        source = StreamSource(LimitedParts(parts: parts, maxBytes: maxBytes ?? .max), length: length)
        (taken, announce) = AsyncStream.makeStream()
    }

    /// True if the transfer has taken all of the content.
    var isTaken: Bool { state.withLock { $0.isTaken } }

    /// The part of the content that the transfer has taken, as the store keeps it.
    var passedOn: TaskContent { state.withLock { .passedOn(size: $0.bytes, isComplete: $0.isTaken) } }

    /// The content is longer than its limit.
    struct TooLarge: Error, CustomStringConvertible {
        var maxBytes: Int64

        var description: String { "the content is larger than \(maxBytes) bytes (server.max_content)" }
    }

    // MARK: BodySource

    var length: Int64? { source.length }
    var failure: (any Error)? { source.failure }
    var isSpent: Bool { source.isSpent }
    func begin(resume: @escaping @Sendable () -> Void) { source.begin(resume: resume) }
    func end() { source.end() }
    func abandon() { source.abandon() }
    func rewind() -> Bool { source.rewind() }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let before = buffer.byteCount
        let answer = source.read(into: &buffer)
        switch answer {
        case .bytes: note(bytes: buffer.byteCount - before)
        // With an unknown length, this is how the transfer learns of the end.
        case .end: note(bytes: 0, isEnd: true)
        case .pause, .failed: break
        }
        return answer
    }

    private func note(bytes: Int, isEnd: Bool = false) {
        let isTaken = state.withLock { state in
            state.bytes += Int64(bytes)
            state.isTaken = state.isTaken || isEnd || state.bytes == length
            return state.isTaken
        }
        if isTaken { announce.finish() }
    }
}

/// The parts of a content up to a size limit.
private struct LimitedParts<Parts: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Parts.Element == [UInt8] {
    let parts: Parts
    let maxBytes: Int64

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: parts.makeAsyncIterator(), maxBytes: maxBytes, rest: maxBytes)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: Parts.AsyncIterator
        let maxBytes: Int64
        /// The number of bytes that may follow.
        var rest: Int64

        mutating func next() async throws -> [UInt8]? {
            guard let part = try await parts.next() else { return nil }
            guard Int64(part.count) <= rest else { throw ContentStream.TooLarge(maxBytes: maxBytes) }
            rest -= Int64(part.count)
            return part
        }
    }
}
