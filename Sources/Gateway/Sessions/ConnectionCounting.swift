/// A transport that knows how many connections it has.
package protocol ConnectionCounting {
    /// The numbers of one moment.
    var connectionCounts: ConnectionCounts { get }
}

/// The connections of a session.
package struct ConnectionCounts: Sendable, Hashable {
    /// Those that are open, idle ones included.
    package var open: Int
    /// Those that wait for a transfer.
    package var idle: Int
    /// How many transfers found a connection that was open already.
    package var reused: Int

    /// Creates counts.
    package init(open: Int, idle: Int, reused: Int) {
        self.open = open
        self.idle = idle
        self.reused = reused
    }
}
