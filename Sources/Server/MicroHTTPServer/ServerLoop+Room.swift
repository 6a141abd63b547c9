import ErrandHTTPServer
import Glibc

// The room for more connections, on the loop's thread.
extension ServerLoop {
    /// True if the server may have another connection, of any listener.
    var hasRoom: Bool { connections.count < configuration.limits.maxConnections }

    /// Returns true if a client may have another connection, to any listener.
    ///
    /// - Parameter address: The client's address; that of a Unix socket has no limit.
    func hasRoom(for address: sockaddr_storage) -> Bool {
        let text = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ServerConnection.text(of: $0) }
        }
        return connectionsPerAddress.hasRoom(for: text)
    }

    /// Returns the connections between two requests, the longest idle one first.
    func idleConnections() -> [ServerConnection] {
        connections.values.filter { $0.isIdle && $0.stream.isBetweenRequests }.sorted {
            $0.clock.since < $1.clock.since
        }
    }
}
