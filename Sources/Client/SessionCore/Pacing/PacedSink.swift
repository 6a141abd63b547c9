import ErrandLocking
import ErrandTransfer

/// A sink that receives no faster than the attempt may.
final class PacedSink: BodySink {
    private let sink: any BodySink
    private let direction: PacedDirection
    private let state = Mutex(State())

    private struct State {
        /// True if the wrapped sink has no room; recorded only while there is a limit.
        var isFull = false
        /// True while the wrapped sink takes bytes; it may resume before its call returns "pause".
        var isTaking = false
        /// True if the wrapped sink resumed during that call.
        var hadRoom = false
        /// True if the rate requires a pause.
        var mustWait = false
        var resume: (@Sendable () -> Void)?
    }

    init(_ sink: any BodySink, _ direction: PacedDirection) {
        self.sink = sink
        self.direction = direction
    }

    func begin(resume: @escaping @Sendable () -> Void) {
        prepare(resume)
        sink.begin { [weak self] in self?.sinkDidDrain() }
    }

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        prepare(resume)
        return sink.begin(head) { [weak self] in self?.sinkDidDrain() }
    }

    func maxBytes(of head: ResponseHead) -> Int64? { sink.maxBytes(of: head) }

    private func prepare(_ resume: @escaping @Sendable () -> Void) {
        state.withLock { $0 = State(resume: resume) }
        direction.begin { [weak self] in self?.pauseDidEnd() }
    }

    /// Takes the bytes; without a limit, the wrapped sink decides alone, and ``sinkDidDrain()`` resumes the transfer.
    func append(_ bytes: RawSpan) -> ReceiveDecision {
        guard direction.isLimited else { return sink.append(bytes) }
        state.withLock { state in
            state.isTaking = true
            state.hadRoom = false
        }
        let decision = sink.append(bytes)
        guard case .stop = decision else { return pause(after: decision, bytes.byteCount) }
        return decision
    }

    /// Either pause may end before it is recorded here; the end of the last one resumes the transfer.
    private func pause(after decision: ReceiveDecision, _ count: Int) -> ReceiveDecision {
        // Set before the rate is checked, because its timer may fire at once.
        state.withLock { $0.mustWait = true }
        let mustWait = direction.didMove(count)
        return state.withLock { state in
            state.isTaking = false
            if !mustWait { state.mustWait = false }
            if case .pause = decision { state.isFull = !state.hadRoom }
            return state.isFull || state.mustWait ? .pause : .more
        }
    }

    /// Records that the wrapped sink has room again.
    private func sinkDidDrain() {
        state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isTaking else {
                state.hadRoom = true
                return nil
            }
            state.isFull = false
            return state.mustWait ? nil : state.resume
        }?()
    }

    /// Records that the rate requires no pause any longer.
    private func pauseDidEnd() {
        state.withLock { state -> (@Sendable () -> Void)? in
            guard state.mustWait else { return nil }
            state.mustWait = false
            return state.isFull || state.isTaking ? nil : state.resume
        }?()
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        direction.stop()
        return try await sink.finish()
    }

    func discard() async {
        direction.stop()
        await sink.discard()
    }
}
