import ErrandLocking
import ErrandSupport
import ErrandTransfer

/// A body source that returns one piece of text after another, and may have nothing available in between.
final class ListSource: BodySource {
    private struct State {
        var pieces: [String]
        var position = 0
        var isDry = false
        var refills = 0
        var resume: (@Sendable () -> Void)?
    }

    let length: Int64?
    /// The uses of a source by a transfer besides reading.
    enum Use { case begin, end }

    /// The reads of the source.
    let reads = EventLog<Void>()
    /// The reads that have begun a period without available bytes.
    private let pauses = EventLog<Void>()
    /// The starts and ends of reading by transfers.
    let uses = EventLog<Use>()
    private let state: Mutex<State>
    private let last: SourceAnswer
    private let canRewind: Bool

    /// Creates a source.
    ///
    /// The piece `"…"` stands for a period without available bytes, which ``refill()`` ends.
    init(_ pieces: [String], length: Int64? = nil, end: SourceAnswer = .end, canRewind: Bool = true) {
        state = Mutex(State(pieces: pieces))
        self.length = length
        last = end
        self.canRewind = canRewind
    }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        defer { reads.append() }
        let piece: String? = state.withLock { state in
            guard !state.isDry, state.position < state.pieces.count else { return nil }
            defer { state.position += 1 }
            if state.pieces[state.position] == "…" { state.isDry = true }
            return state.pieces[state.position]
        }
        switch piece {
        case "…":
            pauses.append()
            return .pause
        case nil: return state.withLock { $0.isDry } ? .pause : last
        case let piece?:
            for byte in piece.utf8 where buffer.freeCapacity > 0 {
                buffer.append(byte, as: UInt8.self)
            }
            return .bytes
        }
    }

    func begin(resume: @escaping @Sendable () -> Void) {
        uses.append(.begin)
        state.withLock { $0.resume = resume }
    }

    func end() {
        uses.append(.end)
        state.withLock { $0.resume = nil }
    }

    /// Makes bytes available again without resuming the transfer, once the source has been read until it had none.
    func refill() async {
        let refills = state.withLock { state in
            state.refills += 1
            return state.refills
        }
        // A source that has not paused yet would pause afterwards, and nothing would resume it.
        _ = await pauses.first(refills)
        state.withLock { $0.isDry = false }
    }

    /// Makes bytes available again and resumes the transfer, once the source has been read until it had none.
    func refillAndResume() async {
        await refill()
        state.withLock { $0.resume }?()
    }

    func rewind() -> Bool {
        guard canRewind else { return false }
        state.withLock { $0.position = 0 }
        return true
    }
}
