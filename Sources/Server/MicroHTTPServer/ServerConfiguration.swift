import ErrandHTTPServer

/// The addresses, limits and timeouts of a ``MicroHTTPServer``.
public struct ServerConfiguration: Sendable, Hashable {
    /// The addresses to listen on; at least one.
    ///
    /// The default is `127.0.0.1` on a free port.
    public var listeners: [ListenAddress]
    /// The certificates of the TCP listeners; `nil`, the default, for HTTP without TLS.
    ///
    /// Unix sockets never use TLS: the system has already authenticated both ends.
    public var tls: TLS?
    /// The limits of sizes and counts.
    public var limits: Limits
    /// The limits of durations.
    public var timeouts: Timeouts

    /// Creates a configuration.
    public init(
        listeners: [ListenAddress] = [ListenAddress()], tls: TLS? = nil, limits: Limits = Limits(),
        timeouts: Timeouts = Timeouts()
    ) {
        self.listeners = listeners
        self.tls = tls
        self.limits = limits
        self.timeouts = timeouts
    }

    /// Sizes and counts above which a server refuses requests.
    public struct Limits: Sendable, Hashable {
        /// The longest request line and header section together, in bytes.
        ///
        /// Above it the response is a 431.
        ///
        /// libmicrohttpd keeps a head in a block of twice this size. Three eighths of the block are for its records of
        /// fields, query parameters and cookies, 64 bytes for each; more of them are a 431 too.
        public var maxHeaderBytes = 32 * 1024
        /// The longest request target, in bytes.
        ///
        /// Above it the response is a 414.
        public var maxTargetBytes = 8 * 1024
        /// The most open connections of a listener; further ones wait in the backlog.
        public var maxConnections = 4096
        /// The most connections from one address; further ones are closed at once.
        ///
        /// Clients of a Unix socket have no address, and no such limit.
        public var maxConnectionsPerAddress = 1024
        /// The most bytes of unwanted content that are read and dropped to keep the connection open.
        public var maxDroppedBytes = 64 * 1024
        /// The most bytes of buffered request contents of all connections together.
        ///
        /// A content counts from its first byte until its response. Above the limit the response is a 503. The last
        /// quarter is reserved for contents of at most 64 KiB.
        public var maxBufferedBytes = 256 * 1024 * 1024
        /// The most bytes of responses in memory that clients have not yet taken, for all connections together.
        ///
        /// Above it the response to a GET is a 503. Responses of at most 64 KiB, and those that report a change, are
        /// always sent.
        public var maxPendingAnswerBytes = 64 * 1024 * 1024
        /// The most unread bytes of a streamed content before the client is slowed down.
        public var streamBufferBytes = 256 * 1024

        /// Creates the default limits.
        public init() {}

        /// The size of the block that libmicrohttpd allocates for each connection, in bytes.
        var connectionMemoryBytes: Int { min(max(maxHeaderBytes, 8 * 1024), 1 << 30) * 2 }

        /// The limits for the bytes of a connection.
        var stream: RequestStreamValidator.Limits {
            RequestStreamValidator.Limits(
                headBytes: maxHeaderBytes, targetBytes: maxTargetBytes, recordBytes: connectionMemoryBytes / 8 * 3)
        }
    }

    /// The limits for the phases of a connection.
    ///
    /// They are checked at intervals of a quarter of the shortest one, at most 1 s, so that each may last that much
    /// longer.
    public struct Timeouts: Sendable, Hashable {
        /// The time from the start of a connection, or from a later request line, to the end of the header section.
        ///
        /// It is absolute, so that a client cannot prolong it by sending a byte now and then. It includes a TLS
        /// handshake.
        public var header: Duration = .seconds(10)
        /// The time from the end of the header section to the end of the content: absolute.
        ///
        /// The response is a 408.
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
        /// The time for which bytes of a response may remain unacknowledged: `TCP_USER_TIMEOUT` of `tcp(7)`.
        ///
        /// Clients of a Unix socket, processes of the same machine, have no such limit.
        public var sendIdle: Duration = .seconds(30)

        /// Creates the default timeouts.
        public init() {}
    }
}
