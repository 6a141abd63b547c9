import ErrandLocking
package import ErrandTransfer

/// A body source that concatenates bytes in memory and other sources.
///
/// Each source is started when its turn comes and ended once it was read completely, so that at most one source keeps a
/// resource open. If a source pauses, the chain pauses; if a source fails, the chain fails.
package final class ChainedSource: BodySource {
    /// A segment of the chain.
    package enum Segment: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// Bytes from another source, which then belongs to the chain.
        ///
        /// If the source has a ``BodySource/length``, exactly that many bytes are read; fewer are an error.
        case source(any BodySource)
    }

    /// The sum of all lengths, or `nil` if one of them is unknown.
    package let length: Int64?
    private let segments: [Segment]
    private let state = Mutex(State())

    private struct State {
        /// The function to call after a pause; `nil` while no transfer reads.
        var resume: (@Sendable () -> Void)?
        /// The index of the segment that is being read; equal to the number of segments at the end.
        var segment = 0
        /// The number of bytes of that segment that were returned.
        var position: Int64 = 0
        /// A Boolean value that indicates whether the segment's source was started and not ended.
        var isOpen = false
        /// The number of segments that have been started.
        var touched = 0
        /// The error with which reading has failed.
        var failure: TransferError?
    }

    /// The failure of the first source that has one.
    package var failure: (any Error)? {
        for case .source(let source) in segments {
            if let failure = source.failure { return failure }
        }
        return nil
    }

    /// True if one of the sources is spent.
    package var isSpent: Bool {
        segments.contains { segment in
            if case .source(let source) = segment { source.isSpent } else { false }
        }
    }

    /// True if all sources can be read any number of times.
    package var isRepeatable: Bool {
        segments.allSatisfy { segment in
            if case .source(let source) = segment { source.isRepeatable } else { true }
        }
    }

    /// Creates a chain of segments, which are read in this order.
    package init(_ segments: [Segment]) {
        self.segments = segments
        length = segments.reduce(Int64?.some(0)) { sum, segment in
            guard let sum, let length = segment.length else { return nil }
            let (total, overflows) = sum.addingReportingOverflow(length)
            return overflows ? nil : total
        }
    }

    /// Starts with the first segment, or continues where the last transfer stopped.
    package func begin(resume: @escaping @Sendable () -> Void) {
        end()
        state.withLock { $0.resume = resume }
    }

    /// Ends the source that is being read, if any.
    package func end() {
        withState { state in
            close(&state)
            state.resume = nil
        }
    }

    /// Abandons all sources.
    package func abandon() {
        for case .source(let source) in segments { source.abandon() }
    }

    /// Fills the buffer from as many segments as have bytes available.
    package func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        var state = state.withLock { $0 }
        let before = buffer.byteCount
        let answer = read(into: &buffer, &state)
        self.state.withLock { $0 = state }
        // The next call reports the error, which is kept in the state.
        return buffer.byteCount > before ? .bytes : answer
    }

    /// Rewinds every source that was read from; returns `false` if one of them cannot be rewound.
    package func rewind() -> Bool {
        withState { state in
            close(&state)
            for case .source(let source) in segments.prefix(state.touched) where !source.rewind() {
                state.failure = TransferError(.bodyStreamExhausted, "The request content cannot be sent a second time")
                return false
            }
            state = State(resume: state.resume)
            return true
        }
    }
}

extension ChainedSource {
    /// Modifies the state without holding its lock: the chain has only one caller at a time, and it calls its sources.
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
    /// - Returns: The source's answer; ``SourceAnswer/end`` only, and immediately, once it was read completely.
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
            return .failed(TransferError(.transportError, "A part of the content is shorter than its declared length"))
        case .bytes where count == 0:
            return .failed(TransferError(.transportError, "The source of a part of the content returned no bytes"))
        case .bytes where count == left: return .end
        case .bytes, .pause, .end, .failed: return answer
        }
    }

    /// - Returns: True if the source may be read.
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
    /// The number of bytes, or `nil` if unknown.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length.map { max($0, 0) }
        }
    }
}

extension TransferError {
    /// The error of a transfer that reads a source before it has started it.
    static let readBeforeBegin = TransferError(.transportError, "The content was read before its source was started")
}
