import CErrandHTTP2Streams

// MARK: Input that libcurl does not process

extension CurlEngine {
    /// Makes libcurl read from the connections whose input it has read from the socket and left unprocessed.
    ///
    /// libcurl 7.88 stops in the middle of its input when a transfer's buffer has no room for content. It then takes the
    /// content, but goes on only when it next reads for a transfer of the connection. If the rest of a response is in
    /// the input already, no more arrives, and all of them would wait until a timeout.
    ///
    /// While all transfers of a connection are paused, libcurl cannot go on. It does when one is resumed.
    func processInput() {
        guard !state.unprocessedInputs.isEmpty else { return }
        for input in state.unprocessedInputs.takeTurn({ chttp2streams_is_paused($0) == 1 }) {
            guard let pool = pool(of: input.pool) else { continue }
            state.readTime()
            touch(pool)
            pool.readNow(input.socket.number)
        }
    }
}

extension CurlTransfer {
    /// Records that libcurl has stopped processing the input of the connection, because it has no room for content of
    /// the transfer.
    func connectionWasPaused() {
        guard let state, let socket = stream?.connection.socket, let session = chttp2streams_last_paused() else {
            return
        }
        state.unprocessedInputs.add(socket, of: pool, session: session)
    }

    /// Records that libcurl is about to end the request, whose length was unknown.
    func requestWillEnd() {
        if stream != nil, CurlGlobal.handlesStreams { chttp2streams_end_request() }
    }
}
