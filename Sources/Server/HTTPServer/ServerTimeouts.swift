/// The limits for the phases of a connection.
///
/// They are checked at intervals of a quarter of the shortest one, at most 1 s, so that each may last that much
/// longer. If a check is late by more than two intervals, because the process stood still, the delay does not count.
public struct ServerTimeouts: Sendable, Hashable {
    /// The time from the start of a connection, or from a later request line, to the end of the header section.
    ///
    /// It is absolute, so that a client cannot prolong it by sending a byte now and then. It includes a TLS
    /// handshake.
    public var header: Duration = .seconds(10)
    /// The time from the end of the header section to the end of the content: absolute.
    ///
    /// The response is a 408. A content that its handler reads as it arrives has no such limit: it may be of any size,
    /// and ``bodyIdle`` and ``minBodyBytesPerSecond`` apply.
    public var body: Duration = .seconds(600)
    /// The time between two bytes of the content, without the time in which the handler does not read.
    ///
    /// The response is a 408.
    public var bodyIdle: Duration = .seconds(30)
    /// The lowest average rate of the content, in bytes per second, after ``rateGrace``.
    ///
    /// The response is a 408.
    public var minBodyBytesPerSecond = 1024
    /// The time for which a content may be slower than ``minBodyBytesPerSecond``.
    public var rateGrace: Duration = .seconds(10)
    /// The time from the end of a response to the next request line.
    public var keepAlive: Duration = .seconds(75)
    /// The time for which bytes of a response, or keep-alive probes of an idle connection, may remain unacknowledged:
    /// `TCP_USER_TIMEOUT` of `tcp(7)`.
    ///
    /// Clients of a Unix socket, processes of the same machine, have no such limit.
    public var sendIdle: Duration = .seconds(30)
    /// The time for which a closing connection reads what its client still sends, so that the client can read the
    /// response; longer only in tests.
    package var lingering: Duration = .seconds(2)

    /// Creates the default timeouts.
    public init() {}
}
