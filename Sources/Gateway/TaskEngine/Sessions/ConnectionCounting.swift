/// A transport that counts its connections.
package protocol ConnectionCounting {
    /// The current counts.
    var connectionCounts: ConnectionCounts { get }
}

/// The connections of a session.
package struct ConnectionCounts: Sendable, Hashable {
    /// The number of open connections, idle ones included.
    package var open: Int
    /// The number of open connections without a transfer.
    package var idle: Int
    /// The number of transfers that used an open connection.
    package var reused: Int

    /// Creates counts.
    package init(open: Int, idle: Int, reused: Int) {
        self.open = open
        self.idle = idle
        self.reused = reused
    }
}
