import CErrandCurl
import ErrandEventLoop
import ErrandFiles
import ErrandTransfer

/// Handles the callbacks of one multi handle; also their context.
///
/// Used on the loop's thread only.
final class MultiEvents {
    private let pool: PoolID
    private let state: LoopState
    private let counters: SessionCounters
    /// The identities of recently closed sockets whose peers had not closed them.
    private var closedAlive: [UInt64] = []
    private static let maxClosedAlive = 16
    /// The local ports of the sockets closed in the current turn whose peers had not closed them.
    private var portsClosedInTurn: [Int] = []
    /// A Boolean value that indicates whether the pool may no longer send requests.
    var isRetired = false

    init(pool: PoolID, state: LoopState, counters: SessionCounters) {
        self.pool = pool
        self.state = state
        self.counters = counters
    }

    /// Returns whether the peer has not closed a socket, or had not when the socket was closed recently.
    func isAlive(_ socket: Int32, identity: UInt64) -> Bool {
        closedAlive.contains(identity) || isOpen(socket, identity: identity) && ccurl_is_established(socket)
    }

    /// Returns whether a socket is open, and its number is not that of a later one.
    func isOpen(_ socket: Int32, identity: UInt64) -> Bool {
        ccurl_socket_identity(socket) == identity
    }

    /// Begins a turn: calls of libcurl, then the handling of the transfers that they have completed.
    func beginTurn() {
        if !portsClosedInTurn.isEmpty { portsClosedInTurn.removeAll(keepingCapacity: true) }
    }

    /// Returns whether the connection with this local port was closed in the current turn, before its peer closed it.
    func hasClosed(localPort: Int) -> Bool {
        portsClosedInTurn.contains(localPort)
    }

    /// Watches a socket of `transfer` for the readiness that libcurl wants.
    func socketChanged(_ socket: Int32, wanted: Int32, transfer: CurlTransfer?) {
        let readiness: Readiness
        switch wanted {
        case ccurl_POLL_IN: readiness = .readable
        case ccurl_POLL_OUT: readiness = .writable
        case ccurl_POLL_INOUT: readiness = [.readable, .writable]
        default:
            // Of the sockets without a callback, libcurl has only those of its resolver.
            if !state.sockets.isConnection(socket), let lookup = state.lookups.didStopWaiting(at: socket) {
                transfer?.attempt.lookups.append(lookup)
            }
            return state.sockets.release(socket)
        }
        if !state.sockets.watch(socket, for: readiness, pool: pool), let transfer {
            // The socket would never be reported as ready.
            transfer.failOutsideCallback(TransferError(.transportError, "The system cannot watch one more connection"))
        }
    }

    /// Sets the delay after which libcurl wants to be called; a negative number cancels it.
    func timerChanged(milliseconds: Int) {
        let deadline = milliseconds < 0 ? nil : state.now.advanced(by: .milliseconds(milliseconds))
        state.poolDeadlines.set(deadline, for: pool)
    }

    /// Opens a socket for an address that the egress policy has accepted.
    ///
    /// - Throws: The failure if the system refuses, or only the last descriptors are free.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>) throws(SystemFailure) -> OpenedSocket {
        let socket = DescriptorReserve.admit(ccurl_socket(address))
        guard socket != ccurl_SOCKET_BAD else {
            let failure = SystemFailure("open a socket")
            if failure.isOutOfDescriptors { state.isShortOfDescriptors = true }
            throw failure
        }
        return state.sockets.open(socket, for: pool, counters: counters)
    }

    /// Forgets the sockets that libcurl has closed of those opened for a connection, whether or not it was made.
    func didOpen(_ sockets: [OpenedSocket]) {
        state.sockets.closeThoseGone(sockets)
    }

    /// Handles the closing of a connection's socket.
    func willCloseSocket(_ socket: Int32) {
        if ccurl_is_established(socket) {
            if closedAlive.count == Self.maxClosedAlive { closedAlive.removeFirst() }
            closedAlive.append(ccurl_socket_identity(socket))
            portsClosedInTurn.append(Int(ccurl_local_port(socket)))
        }
        state.sockets.close(socket)
    }
}
