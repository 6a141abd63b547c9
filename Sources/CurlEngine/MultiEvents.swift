import CCurl
import EventLoop
import Transfer

/// What libcurl tells about one multi handle: the context of its callbacks.
///
/// On the loop's thread.
final class MultiEvents {
    private let pool: PoolID
    private let state: LoopState
    private let counters: SessionCounters
    /// No further request is sent over its connections.
    var isRetired = false

    init(pool: PoolID, state: LoopState, counters: SessionCounters) {
        self.pool = pool
        self.state = state
        self.counters = counters
    }

    /// libcurl wants other readiness of a socket, for `transfer`.
    func socketChanged(_ socket: Int32, wanted: Int32, transfer: CurlTransfer?) {
        let readiness: Readiness
        switch wanted {
        case ccurl_POLL_IN: readiness = .readable
        case ccurl_POLL_OUT: readiness = .writable
        case ccurl_POLL_INOUT: readiness = [.readable, .writable]
        default: return state.sockets.release(socket)
        }
        if !state.sockets.watch(socket, for: readiness, pool: pool), let transfer {
            // Nobody would ever be told that the socket is ready.
            transfer.failOutsideCallback(TransferError(.transportError, "The system cannot watch one more connection"))
        }
    }

    /// libcurl wants to be called in so many milliseconds; a negative number: not by time.
    func timerChanged(milliseconds: Int) {
        let deadline = milliseconds < 0 ? nil : state.now.advanced(by: .milliseconds(milliseconds))
        state.poolDeadlines.set(deadline, for: pool.number)
    }

    /// A connection needs a socket, for an address that was judged.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let socket = ccurl_socket(address)
        guard socket != ccurl_SOCKET_BAD else { return socket }
        state.sockets.open(socket, for: pool, counters: counters)
        return socket
    }

    /// Sockets were opened for a connection that is made now, or will not be.
    func didOpen(_ sockets: [Int32]) {
        state.sockets.closeThoseGone(sockets)
    }

    /// A connection's socket is about to be closed.
    func willCloseSocket(_ socket: Int32) {
        state.sockets.close(socket)
    }
}
