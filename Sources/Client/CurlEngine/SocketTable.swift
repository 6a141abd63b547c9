import CErrandCurl
import ErrandEventLoop

/// The sockets of all pools, by number, with the readiness they are watched for.
///
/// Used on the loop's thread only.
///
/// A connection that is idle between two transfers stays registered with the event loop, because removing and adding it
/// would cost two system calls a transfer. It is removed if the system reports it while no transfer waits for it, and
/// forgotten when it is closed; ``open(_:for:)`` and ``close(_:)`` track both. Sockets that libcurl opens and closes
/// without a callback (those of its resolver) are removed immediately.
final class SocketTable {
    private struct Entry {
        var pool: PoolID?
        /// The counters of the connection's session; `nil` for other sockets.
        var counters: SessionCounters?
        /// Distinguishes the connection's socket from later sockets of the same number.
        var identity: UInt64 = 0
        var isWanted = false
    }

    private let loop: EventLoop
    private let watch: FloodWatch
    private var entries: [Entry] = []

    init(loop: EventLoop, watch: FloodWatch) {
        self.loop = loop
        self.watch = watch
    }

    /// Registers the socket of a new connection.
    func open(_ socket: Int32, for pool: PoolID, counters: SessionCounters) {
        grow(to: socket)
        guard let index = index(of: socket) else { return }
        // A connection that had the same number was closed without a callback.
        close(socket)
        let identity = ccurl_socket_identity(socket)
        entries[index] = Entry(pool: pool, counters: counters, identity: identity)
        watch.didOpen(socket, for: pool, identity: identity)
        counters.connectionOpened()
    }

    /// Removes the socket of a connection that is being closed or was closed.
    func close(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        loop.forget(socket)
        if let counters = entries[index].counters {
            counters.connectionClosed()
            watch.willClose(socket)
        }
        entries[index] = Entry()
    }

    /// Removes the sockets that no longer exist: libcurl closes sockets that never connected without a callback.
    ///
    /// Their numbers may already be in use elsewhere in the process.
    func closeThoseGone(_ sockets: [Int32]) {
        for socket in sockets {
            guard let index = index(of: socket), entries[index].counters != nil,
                entries[index].identity != ccurl_socket_identity(socket)
            else { continue }
            close(socket)
        }
    }

    /// Watches a socket for `readiness`.
    ///
    /// - Returns: `false` if the system refuses.
    func watch(_ socket: Int32, for readiness: Readiness, pool: PoolID) -> Bool {
        grow(to: socket)
        guard let index = index(of: socket), loop.watch(socket, for: readiness) else { return false }
        entries[index].pool = pool
        entries[index].isWanted = true
        return true
    }

    /// Marks a socket as not waited for.
    func release(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].isWanted = false
        if entries[index].counters == nil { loop.unwatch(socket) }
    }

    /// Returns the pool that waits for a socket; `nil` if none does.
    func owner(of socket: Int32) -> PoolID? {
        guard let index = index(of: socket), entries[index].isWanted else {
            loop.unwatch(socket)
            return nil
        }
        return entries[index].pool
    }

    private func index(of socket: Int32) -> Int? {
        let index = Int(socket)
        return entries.indices.contains(index) ? index : nil
    }

    private func grow(to socket: Int32) {
        let missing = Int(socket) + 1 - entries.count
        if socket >= 0, missing > 0 {
            entries.append(contentsOf: repeatElement(Entry(), count: missing))
        }
    }
}
