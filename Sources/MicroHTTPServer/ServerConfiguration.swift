/// How a ``MicroHTTPServer`` listens, and what it puts up with.
public struct ServerConfiguration: Sendable, Hashable {
    /// Where to listen; one address at least.
    ///
    /// `127.0.0.1` on a free port by default.
    public var listeners: [ListenAddress]
    /// What the TCP listeners prove themselves with; `nil`, the default, for HTTP without TLS.
    ///
    /// Unix sockets never speak TLS: the system has authenticated their two ends already.
    public var tls: TLS?
    /// What is too much.
    public var limits: Limits
    /// What is too long.
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

    /// Sizes and numbers above which a server refuses.
    public struct Limits: Sendable, Hashable {
        /// The longest request line and header section together, in bytes.
        ///
        /// Beyond it the answer is a 431.
        ///
        /// libmicrohttpd keeps a head in a block of twice this size, together with 64 bytes for each field; a head
        /// that does not fit there gets a 431 of the library's own, which is HTML.
        public var maxHeaderBytes = 32 * 1024
        /// The longest request target, in bytes.
        ///
        /// Beyond it the answer is a 414.
        public var maxTargetBytes = 8 * 1024
        /// How many connections a listener keeps open; further ones wait in the backlog.
        public var maxConnections = 4096
        /// How many of them may come from one address; further ones are closed at once.
        ///
        /// Clients of a Unix socket have no address, and no such limit.
        public var maxConnectionsPerAddress = 1024
        /// How much of a content that nobody wants is read and dropped to keep the connection, in bytes.
        public var maxDroppedBytes = 64 * 1024
        /// How many unread bytes of a streamed content are held before the client is slowed down.
        public var streamBufferBytes = 256 * 1024

        /// Creates the default limits.
        public init() {}
    }

    /// How long the phases of a connection may last.
    ///
    /// They are looked at in steps of a quarter of the shortest one, 1 s at most, so that each may last that much
    /// longer.
    public struct Timeouts: Sendable, Hashable {
        /// From the start of a connection, or from a later request line, to the end of the header section: absolute,
        /// so that a client cannot prolong it by sending a byte now and then.
        ///
        /// A TLS handshake is part of it.
        public var header: Duration = .seconds(10)
        /// From the end of the header section to the end of the content: absolute.
        ///
        /// The answer is a 408.
        public var body: Duration = .seconds(600)
        /// Between two bytes of the content, without the time in which the handler does not read.
        ///
        /// The answer is a 408.
        public var bodyIdle: Duration = .seconds(30)
        /// The lowest rate of the content in bytes per second, over all of it, once it has taken ``rateGrace``.
        ///
        /// The answer is a 408.
        public var minBodyBytesPerSecond = 1024
        /// How long a content may be slower than ``minBodyBytesPerSecond``.
        public var rateGrace: Duration = .seconds(10)
        /// From the end of an answer to the next request line.
        public var keepAlive: Duration = .seconds(75)
        /// How long bytes of an answer may remain unacknowledged by the client: `TCP_USER_TIMEOUT` of `tcp(7)`.
        ///
        /// The clients of a Unix socket, processes of the same machine, may take any time.
        public var sendIdle: Duration = .seconds(30)

        /// Creates the default timeouts.
        public init() {}
    }
}
