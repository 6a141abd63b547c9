import ErrandLocking
import ErrandSupport
import ErrandTransfer

/// A body source that returns its pieces one by one, with a pause before each, and logs its use.
final class PieceSource: BodySource {
    private struct State {
        var resume: (@Sendable () -> Void)?
        var piece = 0
        var position = 0
        var mayRead = false
    }

    let length: Int64?
    private let name: String
    private let log: EventLog<String>
    private let pieces: [[UInt8]]
    private let ending: SourceAnswer
    private let canRewind: Bool
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - pieces: The pieces to return.
    ///   - length: The length; by default the total of the pieces.
    ///   - ending: The answer after the last piece.
    ///   - canRewind: True if it can be rewound.
    ///   - name: Its name in the log.
    ///   - log: Receives `begin`, `end`, `abandon` and `rewind` with the name.
    init(
        _ pieces: [[UInt8]], length: Int64?? = .none, ending: SourceAnswer = .end, canRewind: Bool = true,
        name: String = "", log: EventLog<String> = EventLog()
    ) {
        self.name = name
        self.log = log
        self.pieces = pieces
        self.length = length ?? Int64(pieces.joined().count)
        self.ending = ending
        self.canRewind = canRewind
    }

    func begin(resume: @escaping @Sendable () -> Void) {
        log.append("begin \(name)")
        state.withLock { $0.resume = resume }
    }

    func end() {
        log.append("end \(name)")
        state.withLock { $0.resume = nil }
    }

    func abandon() {
        log.append("abandon \(name)")
    }

    func rewind() -> Bool {
        log.append("rewind \(name)")
        guard canRewind else { return false }
        state.withLock { $0 = State(resume: $0.resume) }
        return true
    }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let (answer, resume) = state.withLock { state -> (SourceAnswer, (@Sendable () -> Void)?) in
            guard state.piece < pieces.count else { return (ending, nil) }
            guard state.mayRead else {
                state.mayRead = true
                return (.pause, state.resume)
            }
            state.position += buffer.append(pieces[state.piece], from: state.position)
            if state.position == pieces[state.piece].count {
                state.piece += 1
                state.position = 0
                state.mayRead = false
            }
            return (.bytes, nil)
        }
        resume?()
        return answer
    }
}
