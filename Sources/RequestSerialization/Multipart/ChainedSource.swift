import Locking
public import Transfer

/// One body after another: bytes in memory and other sources, read as if they were one.
///
/// Each source is begun when it is its turn and ended when all of it was read, so that no more than one keeps something
/// open. A source that pauses, pauses the whole; what goes wrong in one ends the whole.
public final class ChainedSource: BodySource {
    /// A piece of the whole.
    public enum Segment: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// Bytes from another source, which belongs to the chain from now on.
        ///
        /// With a ``BodySource/length`` exactly so many bytes are read from it: fewer are an error.
        case source(any BodySource)
    }

    /// The sum of all lengths, or `nil` when one of them is not known.
    public let length: Int64?
    private let segments: [Segment]
    private let state = Mutex(State())

    private struct State {
        /// To be called after a pause; `nil` when nobody reads.
        var resume: (@Sendable () -> Void)?
        /// The segment that is being read; all are when it is their number.
        var segment = 0
        /// How many bytes of that segment have been given.
        var position: Int64 = 0
        /// The segment's source has been begun and not ended.
        var isOpen = false
        /// How many segments have been begun to be read.
        var touched = 0
        /// Why it cannot go on.
        var failure: TransferError?
    }

    /// Creates a chain of segments in the order of reading.
    public init(_ segments: [Segment]) {
        self.segments = segments
        length = segments.reduce(Int64?.some(0)) { sum, segment in
            guard let sum, let length = segment.length else { return nil }
            let (total, overflows) = sum.addingReportingOverflow(length)
            return overflows ? nil : total
        }
    }

    /// Starts with the first segment, or goes on where the last transfer has stopped.
    public func begin(resume: @escaping @Sendable () -> Void) {
        end()
        state.withLock { $0.resume = resume }
    }

    /// Ends the source that is being read, if there is one.
    public func end() {
        withState { state in
            close(&state)
            state.resume = nil
        }
    }

    /// Fills the buffer from as many segments as have bytes at once.
    public func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        var state = state.withLock { $0 }
        let before = buffer.byteCount
        let answer = read(into: &buffer, &state)
        self.state.withLock { $0 = state }
        // What was wrong is told by the next call, which finds it in the state.
        return buffer.byteCount > before ? .bytes : answer
    }

    /// Rewinds every source that was read from; `false` when one of them cannot be.
    public func rewind() -> Bool {
        withState { state in
            close(&state)
            for case .source(let source) in segments.prefix(state.touched) where !source.rewind() {
                state.failure = TransferError(.bodyStreamExhausted, "The content cannot be sent a second time")
                return false
            }
            state = State(resume: state.resume)
            return true
        }
    }
}

extension ChainedSource {
    /// Changes the state without holding its lock: sources are called meanwhile, and nobody else calls the chain.
    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        var state = state.withLock { $0 }
        defer { self.state.withLock { $0 = state } }
        return body(&state)
    }

    private func read(into buffer: inout OutputRawSpan, _ state: inout State) -> SourceAnswer {
        while state.segment < segments.count, !buffer.isFull {
            if let failure = state.failure { return .failed(failure) }
            switch segments[state.segment] {
            case .bytes(let bytes):
                state.position += Int64(buffer.append(bytes, from: Int(state.position)))
                guard state.position == bytes.count else { return .bytes }
                advance(&state)
            case .source(let source):
                switch read(source, into: &buffer, &state) {
                case .pause: return .pause
                case .end: advance(&state)
                case .bytes: return .bytes
                case .failed(let failure): state.failure = failure
                }
            }
        }
        return state.failure.map { .failed($0) } ?? (state.segment < segments.count ? .bytes : .end)
    }

    /// Reads from one source.
    ///
    /// - Returns: Its answer, but ``SourceAnswer/end`` only (and at once) when all of it was read.
    private func read(
        _ source: any BodySource, into buffer: inout OutputRawSpan, _ state: inout State
    ) -> SourceAnswer {
        let left = source.length.map { $0 - state.position }
        if let left, left <= 0 { return .end }
        guard open(source, &state) else { return .failed(.readBeforeBegin) }
        let before = buffer.byteCount
        let answer = buffer.withRoom(Int(clamping: left ?? .max)) { source.read(into: &$0) }
        let count = Int64(buffer.byteCount - before)
        state.position += count
        switch answer {
        case .end where count < left ?? 0:
            return .failed(TransferError(.transportError, "A part of the content is shorter than its length"))
        case .bytes where count == 0:
            return .failed(TransferError(.transportError, "A part of the content gave nothing"))
        case .bytes where count == left: return .end
        case .bytes, .pause, .end, .failed: return answer
        }
    }

    /// - Returns: Whether the source may be read.
    private func open(_ source: any BodySource, _ state: inout State) -> Bool {
        guard !state.isOpen else { return true }
        guard let resume = state.resume else { return false }
        state.isOpen = true
        state.touched = state.segment + 1
        source.begin(resume: resume)
        return true
    }

    private func close(_ state: inout State) {
        guard state.isOpen, case .source(let source) = segments[state.segment] else { return }
        state.isOpen = false
        source.end()
    }

    private func advance(_ state: inout State) {
        close(&state)
        state.segment += 1
        state.position = 0
    }
}

extension ChainedSource.Segment {
    /// The number of bytes, or `nil` when nobody knows.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length.map { max($0, 0) }
        }
    }
}

extension TransferError {
    /// A source was asked for bytes by a transfer that has not begun to read it.
    static let readBeforeBegin = TransferError(.transportError, "The content was read before it was begun")
}
