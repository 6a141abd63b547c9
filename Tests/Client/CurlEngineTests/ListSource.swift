import ErrandLocking
import ErrandSupport
import ErrandTransfer

/// A body source that returns one piece of text after another, and may have nothing available in between.
final class ListSource: BodySource {
    private struct State {
        var pieces: [String]
        var position = 0
        var isDry = false
        var resume: (@Sendable () -> Void)?
    }

    let length: Int64?
    /// The uses of a source by a transfer besides reading.
    enum Use { case begin, end }

    /// The reads of the source.
    let reads = EventLog<Void>()
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
        case "…": return .pause
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

    /// Makes bytes available again without resuming the transfer.
    func refill() {
        state.withLock { $0.isDry = false }
    }

    /// Makes bytes available again and resumes the transfer.
    func refillAndResume() {
        let resume = state.withLock { state in
            state.isDry = false
            return state.resume
        }
        resume?()
    }

    func rewind() -> Bool {
        guard canRewind else { return false }
        state.withLock { $0.position = 0 }
        return true
    }
}
