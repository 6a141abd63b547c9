import Locking
import Support
import Transfer

/// A body source that gives one piece of text after another, and can be dry in between.
final class ListSource: BodySource {
    private struct State {
        var pieces: [String]
        var position = 0
        var isDry = false
        var resume: (@Sendable () -> Void)?
    }

    let length: Int64?
    /// What a transfer does with a source besides reading.
    enum Use { case begin, end }

    /// How often it was asked.
    let reads = EventLog<Void>()
    /// When transfers began to read from it, and when they left it.
    let uses = EventLog<Use>()
    private let state: Mutex<State>
    private let last: SourceAnswer
    private let canRewind: Bool

    /// Creates a source.
    ///
    /// The piece `"…"` stands for a time with nothing to give: ``refill()`` ends it.
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

    /// Has something to give again, and leaves it to somebody else to say so.
    func refill() {
        state.withLock { $0.isDry = false }
    }

    /// Has something to give again, and says so.
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
