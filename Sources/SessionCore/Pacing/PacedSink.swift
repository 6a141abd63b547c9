import Locking
import Transfer

/// A sink that takes no more than the attempt may receive.
final class PacedSink: BodySink {
    private let sink: any BodySink
    private let direction: PacedDirection
    private let state = Mutex(State())

    private struct State {
        /// The sink has no room.
        var isFull = false
        /// The sink is taking bytes, and may have room again before it has said that it has none.
        var isTaking = false
        /// It had room again meanwhile.
        var hadRoom = false
        /// The pace wants a pause.
        var mustWait = false
        var resume: (@Sendable () -> Void)?
    }

    init(_ sink: any BodySink, _ direction: PacedDirection) {
        self.sink = sink
        self.direction = direction
    }

    func begin(resume: @escaping @Sendable () -> Void) {
        state.withLock { $0 = State(resume: resume) }
        direction.begin { [weak self] in self?.mayGoOn() }
        sink.begin { [weak self] in self?.hasRoom() }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        state.withLock { state in
            state.isTaking = true
            state.hadRoom = false
        }
        let decision = sink.append(bytes)
        guard case .stop = decision else { return pause(after: decision, bytes.byteCount) }
        return decision
    }

    /// Both may end before they are known to have begun: whoever ends the last one lets the transfer go on.
    private func pause(after decision: ReceiveDecision, _ count: Int) -> ReceiveDecision {
        // Before the pace is asked: its timer may be over at once.
        state.withLock { $0.mustWait = true }
        let mustWait = direction.didMove(count)
        return state.withLock { state in
            state.isTaking = false
            if !mustWait { state.mustWait = false }
            if case .pause = decision { state.isFull = !state.hadRoom }
            return state.isFull || state.mustWait ? .pause : .more
        }
    }

    /// The sink has room again.
    private func hasRoom() {
        state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isTaking else {
                state.hadRoom = true
                return nil
            }
            guard state.isFull else { return nil }
            state.isFull = false
            return state.mustWait ? nil : state.resume
        }?()
    }

    /// The pace wants no pause any more.
    private func mayGoOn() {
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
