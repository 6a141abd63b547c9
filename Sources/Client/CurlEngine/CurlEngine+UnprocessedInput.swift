import CErrandHTTP2Streams

// MARK: Input that libcurl does not process

/// An HTTP/2 connection whose input libcurl has read, and may not have processed.
struct UnprocessedInput {
    /// The most turns in which libcurl is made to read: it first passes on, with its timers, the content that has made
    /// it pause, which takes up to three.
    private static let maxTurns = 8

    let socket: OpenedSocket
    let pool: PoolID
    fileprivate var turns = 0

    fileprivate var isInVain: Bool { turns == Self.maxTurns }
}

extension CurlEngine {
    /// Makes libcurl read for the connections whose input it has read from the socket and left unprocessed.
    ///
    /// libcurl 7.88 stops in the middle of its input when a transfer's buffer has no room for content. It then takes the
    /// content, but goes on only when it next reads for a transfer of the connection. If the rest of a response is in
    /// the input already, no more arrives, and all of them would wait until a timeout.
    ///
    /// While all transfers of a connection are paused, libcurl cannot go on. It does when one is resumed.
    func processInput() {
        guard !state.unprocessedInput.isEmpty else { return }
        // More may be added meanwhile.
        let inputs = state.unprocessedInput
        state.unprocessedInput.removeAll(keepingCapacity: true)
        for var input in inputs where chttp2streams_paused_sessions() > 0 {
            guard let pool = pool(of: input.pool), !input.isInVain else { continue }
            state.readTime()
            touch(pool)
            pool.readNow(input.socket.number)
            input.turns += 1
            state.add(input)
        }
    }
}

extension LoopState {
    /// Adds a connection unless it is there already.
    fileprivate func add(_ input: UnprocessedInput) {
        guard !unprocessedInput.contains(where: { $0.socket.identity == input.socket.identity }) else { return }
        unprocessedInput.append(input)
    }
}

extension CurlTransfer {
    /// Records that libcurl has stopped processing the input of the connection, because it has no room for content of
    /// the transfer.
    func connectionWasPaused() {
        guard let state, let socket = stream?.connection.socket else { return }
        state.add(UnprocessedInput(socket: socket, pool: pool))
    }
}
