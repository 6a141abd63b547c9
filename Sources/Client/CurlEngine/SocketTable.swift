import CErrandCurl
import ErrandEventLoop

/// A socket that was opened for a connection.
struct OpenedSocket {
    let number: Int32
    /// Distinguishes the socket from later ones of the same number.
    let identity: UInt64
}

/// The sockets of all pools, by number, with the readiness they are watched for.
///
/// Used on the loop's thread only.
///
/// A connection that is idle between two transfers stays registered with the event loop, because removing and adding it
/// would cost two system calls a transfer. It is removed if the system reports it while no transfer waits for it, and
/// forgotten when it is closed; ``open(_:for:)`` and ``close(_:)`` track both. Sockets that libcurl opens and closes
/// without a callback (those of its resolver) are removed immediately.
///
/// libcurl closes a connection that never connected without a callback. Until ``closeThoseGone(_:)``, its number may
/// therefore belong to another socket.
final class SocketTable {
    private struct Entry {
        var pool: PoolID?
        /// The counters of the connection's session; `nil` for other sockets.
        var counters: SessionCounters?
        /// Distinguishes the connection's socket from later sockets of the same number.
        var identity: UInt64 = 0
        /// A Boolean value that indicates whether libcurl tells when it closes the socket.
        var isSettled = false
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
    func open(_ socket: Int32, for pool: PoolID, counters: SessionCounters) -> OpenedSocket {
        let identity = ccurl_socket_identity(socket)
        let opened = OpenedSocket(number: socket, identity: identity)
        grow(to: socket)
        guard let index = index(of: socket) else { return opened }
        // A connection that had the same number was closed without a callback.
        close(socket)
        entries[index] = Entry(pool: pool, counters: counters, identity: identity)
        watch.didOpen(socket, for: pool, identity: identity)
        counters.connectionOpened()
        return opened
    }

    /// Removes the socket of a connection that is being closed or was closed.
    func close(_ socket: Int32) {
        loop.forget(socket)
        guard let index = index(of: socket) else { return }
        if let counters = entries[index].counters {
            counters.connectionClosed()
            watch.willClose(socket)
        }
        entries[index] = Entry()
    }

    /// Removes the sockets that no longer exist, of those opened for a connection that was made or has failed.
    ///
    /// Their numbers may already be in use elsewhere in the process.
    func closeThoseGone(_ sockets: [OpenedSocket]) {
        for socket in sockets {
            // The number may belong to another connection.
            guard let index = index(of: socket.number), entries[index].counters != nil,
                entries[index].identity == socket.identity
            else { continue }
            closeIfGone(socket.number)
            entries[index].isSettled = entries[index].counters != nil
        }
    }

    /// Removes a connection whose number belongs to another socket, or to none.
    private func closeIfGone(_ socket: Int32) {
        guard let index = index(of: socket), entries[index].counters != nil, !entries[index].isSettled,
            entries[index].identity != ccurl_socket_identity(socket)
        else { return }
        close(socket)
    }

    /// Returns whether a socket is that of a connection.
    func isConnection(_ socket: Int32) -> Bool {
        index(of: socket).map { entries[$0].counters != nil } ?? false
    }

    /// Watches a socket for `readiness`.
    ///
    /// - Returns: `false` if the system refuses.
    func watch(_ socket: Int32, for readiness: Readiness, pool: PoolID) -> Bool {
        grow(to: socket)
        closeIfGone(socket)
        guard let index = index(of: socket), loop.watch(socket, for: readiness) else { return false }
        entries[index].pool = pool
        entries[index].isWanted = true
        return true
    }

    /// Watches a descriptor that belongs to no pool, and that was just opened, until it is readable.
    ///
    /// - Returns: `false` if the system refuses.
    func watchOnce(_ descriptor: Int32) -> Bool {
        // A socket that had the same number was closed without a callback.
        close(descriptor)
        return loop.watch(descriptor, for: .readable)
    }

    /// Stops watching a descriptor of ``watchOnce(_:)``, which is still open.
    func unwatch(_ descriptor: Int32) {
        loop.unwatch(descriptor)
    }

    /// Marks a socket as not waited for.
    func release(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].isWanted = false
        if entries[index].counters == nil { loop.unwatch(socket) }
    }

    /// Returns the pool that waits for a socket; `nil` if none does, after which the socket is not watched.
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
