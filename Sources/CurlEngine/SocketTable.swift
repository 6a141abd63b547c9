import CCurl
import EventLoop

/// The sockets of all pools as the loop watches them, by number.
///
/// On the loop's thread.
///
/// A connection that waits between two transfers stays registered: taking it out and in again would cost two system
/// calls a transfer. It is taken out when the system reports it although nobody waits for it, and forgotten when it is
/// closed, which ``open(_:for:)`` and ``close(_:)`` see. Sockets that libcurl makes and closes without asking (those of
/// its resolver) are taken out at once.
final class SocketTable {
    private struct Entry {
        var pool: PoolID?
        /// Where a connection is counted; `nil` of other sockets.
        var counters: SessionCounters?
        /// Tells the connection's socket from another that gets its number.
        var identity: UInt64 = 0
        var isWanted = false
    }

    private let loop: EventLoop
    private var entries: [Entry] = []

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// A pool has made a socket for a connection.
    func open(_ socket: Int32, for pool: PoolID, counters: SessionCounters) {
        grow(to: socket)
        guard let index = index(of: socket) else { return }
        // Another connection that had the number was closed without a word.
        close(socket)
        entries[index] = Entry(pool: pool, counters: counters, identity: ccurl_socket_identity(socket))
        counters.connectionOpened()
    }

    /// The socket of a connection is about to be closed, or was.
    func close(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        loop.forget(socket)
        entries[index].counters?.connectionClosed()
        entries[index] = Entry()
    }

    /// Looks whether sockets of connections are still there: libcurl closes those that never were connected by itself.
    ///
    /// Their numbers may be in use again, by anything else in the process.
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
    /// - Returns: `false` when the system refuses.
    func watch(_ socket: Int32, for readiness: Readiness, pool: PoolID) -> Bool {
        grow(to: socket)
        guard let index = index(of: socket), loop.watch(socket, for: readiness) else { return false }
        entries[index].pool = pool
        entries[index].isWanted = true
        return true
    }

    /// Nobody waits for a socket for the time being.
    func release(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].isWanted = false
        if entries[index].counters == nil { loop.unwatch(socket) }
    }

    /// Whose socket is ready; `nil` when nobody waits for it.
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
