/// The HTTP/2 connections whose input libcurl has read, and may not have processed.
struct UnprocessedInputs {
    /// A connection.
    struct Input {
        let socket: OpenedSocket
        let pool: PoolID
        /// The session of libnghttp2, only to be compared.
        let session: UnsafeRawPointer
        /// The number of turns in which libcurl was made to read since it was paused last.
        fileprivate var turns = 0
    }

    /// The most turns in which libcurl is made to read after it was paused.
    ///
    /// It first passes on, with its timers, the content for which it had no room, which takes up to three.
    private static let maxTurns = 8

    private var inputs: [Input] = []

    var isEmpty: Bool { inputs.isEmpty }

    /// Adds a connection on which libcurl has just paused, or begins anew with its turns.
    mutating func add(_ socket: OpenedSocket, of pool: PoolID, session: UnsafeRawPointer) {
        inputs.removeAll { $0.socket.identity == socket.identity }
        inputs.append(Input(socket: socket, pool: pool, session: session))
    }

    /// Returns the connections from which libcurl is to read in this turn.
    ///
    /// The others are removed, and each after eight turns: as a rule, all of its transfers are paused then.
    ///
    /// - Parameter isPaused: Returns whether libcurl has yet to go on with a session.
    mutating func takeTurn(_ isPaused: (_ session: UnsafeRawPointer) -> Bool) -> [Input] {
        inputs.removeAll { !isPaused($0.session) }
        for index in inputs.indices { inputs[index].turns += 1 }
        defer { inputs.removeAll { $0.turns == Self.maxTurns } }
        return inputs
    }

    mutating func removeAll() {
        inputs.removeAll()
    }
}
