import ErrandLocking
import ErrandSupport

/// An upstream with one file, whose responses end early at random offsets.
///
/// Some of them do not end but stall, so that a test can kill their client. An upstream with odd answers also sends the
/// whole file instead of the rest that a request asks for, and replaces the file, with another entity tag.
final class FlakyFileUpstream: Sendable {
    /// The offset at which each stalled response stopped.
    let stalled = EventLog<Int>()
    private let size: Int
    private let hasOddAnswers: Bool
    private let longestPiece: Int
    private let cutsPerStall: Int
    private let state: Mutex<State>

    private struct State {
        var random: SplitMix64
        var cutsLeft: Int
        var responses = 0
        var served = 0
        var version = 1
        var content: [UInt8]
    }

    /// The response to one request.
    private struct Answer {
        var content: [UInt8]
        var version: Int
        var offset: Int
        var end: Int
        var stalls: Bool
    }

    /// Creates an upstream.
    ///
    /// - Parameters:
    ///   - size: The size of the file, in bytes.
    ///   - cuts: The number of responses that end early, each after at most 1.5 times the file's share of one cut.
    ///   - stalls: The number of these that stall instead.
    init(_ size: Int, cuts: Int, stalls: Int, hasOddAnswers: Bool, seed: UInt64) {
        self.size = size
        self.hasOddAnswers = hasOddAnswers
        longestPiece = size * 3 / (2 * cuts)
        cutsPerStall = cuts / stalls
        state = Mutex(State(random: SplitMix64(seed: seed), cutsLeft: cuts, content: .noise(size, seed: 1)))
    }

    /// The current content of the file.
    var content: [UInt8] { state.withLock { $0.content } }

    /// The number of content bytes that were sent.
    var served: Int { state.withLock { $0.served } }

    /// The number of the file's versions so far.
    var versions: Int { state.withLock { $0.version } }

    /// Answers the requests of a connection.
    @Sendable func answer(_ connection: ScriptedConnection) throws {
        while true {
            let answer = next(to: try connection.readRequest())
            let range =
                answer.offset > 0 ? "Content-Range: bytes \(answer.offset)-\(size - 1)/\(size)\r\n" : ""
            try connection.send(
                "HTTP/1.1 \(answer.offset > 0 ? "206 Partial Content" : "200 OK")\r\nETag: \"v\(answer.version)\"\r\n"
                    + "\(range)Content-Length: \(size - answer.offset)\r\n\r\n")
            try connection.send(Array(answer.content[answer.offset..<answer.end]))
            state.withLock { $0.served += answer.end - answer.offset }
            if answer.stalls {
                stalled.append(answer.end)
                connection.waitForClose()
            }
            if answer.end < size { return }
        }
    }

    private func next(to request: ScriptedRequest) -> Answer {
        state.withLock { state in
            state.responses += 1
            if hasOddAnswers, state.cutsLeft > 0, state.responses.isMultiple(of: 11) {
                state.version += 1
                state.content = .noise(size, seed: UInt64(state.version))
            }
            var offset = 0
            let ignoresRange = hasOddAnswers && state.cutsLeft > 0 && state.responses.isMultiple(of: 5)
            if request["If-Range"] == "\"v\(state.version)\"", !ignoresRange {
                offset = request.byteRange(of: size)?.lowerBound ?? 0
            }
            guard state.cutsLeft > 0 else {
                return Answer(content: state.content, version: state.version, offset: offset, end: size, stalls: false)
            }
            let stalls = state.cutsLeft.isMultiple(of: cutsPerStall)
            state.cutsLeft -= 1
            // At least one byte is left, so that another request must follow.
            let end = min(size - 1, offset + Int.random(in: 1...longestPiece, using: &state.random))
            return Answer(content: state.content, version: state.version, offset: offset, end: end, stalls: stalls)
        }
    }
}
