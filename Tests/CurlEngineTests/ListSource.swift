import Locking
import Support
import Transfer

/// A body source that gives one piece of text after another, and can be dry in between.
final class ListSource: BodySource {
    private struct State {
        var pieces: [String]
        var position = 0
        var isDry = false
    }

    let length: Int64?
    /// How often it was asked.
    let reads = EventLog<Void>()
    private let state: Mutex<State>
    private let end: SourceAnswer
    private let canRewind: Bool

    /// Creates a source.
    ///
    /// The piece `"…"` stands for a time with nothing to give: ``refill()`` ends it.
    init(_ pieces: [String], length: Int64? = nil, end: SourceAnswer = .end, canRewind: Bool = true) {
        state = Mutex(State(pieces: pieces))
        self.length = length
        self.end = end
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
        case nil: return state.withLock { $0.isDry } ? .pause : end
        case let piece?:
            for byte in piece.utf8 where buffer.freeCapacity > 0 {
                buffer.append(byte, as: UInt8.self)
            }
            return .bytes
        }
    }

    func refill() {
        state.withLock { $0.isDry = false }
    }

    func rewind() -> Bool {
        guard canRewind else { return false }
        state.withLock { $0.position = 0 }
        return true
    }
}
