/// The HTTP/2 connections whose input libcurl has read, and may not have processed.
struct UnprocessedInputs {
    /// A connection.
    struct Input {
        let socket: OpenedSocket
        let pool: PoolID
        /// The number of turns in which libcurl was made to read since it was paused last.
        fileprivate var turns = 0
    }

    /// The most turns in which libcurl is made to read after it was paused.
    ///
    /// It first passes on, with its timers, the content for which it had no room, which takes up to three.
    private static let maxTurns = 8

    private var inputs: [Input] = []

    var isEmpty: Bool { inputs.isEmpty }

    /// Adds the connection of a socket on which libcurl has just paused, or begins anew with its turns.
    mutating func add(_ socket: OpenedSocket, of pool: PoolID) {
        inputs.removeAll { $0.socket.identity == socket.identity }
        inputs.append(Input(socket: socket, pool: pool))
    }

    /// Returns the connections from which libcurl is to read in this turn.
    ///
    /// Those from which it was made to read in vain, in eight turns, are removed: all of their transfers are paused.
    mutating func takeTurn() -> [Input] {
        inputs.removeAll { $0.turns == Self.maxTurns }
        for index in inputs.indices { inputs[index].turns += 1 }
        return inputs
    }

    mutating func removeAll() {
        inputs.removeAll()
    }
}
