/// How a ``MicroHTTPServer`` listens, and what it puts up with.
public struct ServerConfiguration: Sendable, Hashable {
    /// Where to listen; one address at least.
    ///
    /// `127.0.0.1` on a free port by default.
    public var listeners: [ListenAddress]
    /// What is too much.
    public var limits: Limits
    /// What is too long.
    public var timeouts: Timeouts

    /// Creates a configuration.
    public init(
        listeners: [ListenAddress] = [ListenAddress()], limits: Limits = Limits(), timeouts: Timeouts = Timeouts()
    ) {
        self.listeners = listeners
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
        public var sendIdle: Duration = .seconds(30)

        /// Creates the default timeouts.
        public init() {}
    }
}

/// An address that a server listens on.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 or IPv6 address, without brackets: `127.0.0.1`, `::1`, `0.0.0.0`.
    ///
    /// Names are not looked up.
    public var host: String
    /// The port; 0 for one that is free.
    public var port: UInt16

    /// Creates an address.
    public init(host: String = "127.0.0.1", port: UInt16 = 0) {
        self.host = host
        self.port = port
    }

    /// The address as in a URL: `127.0.0.1:8080`, `[::1]:8080`.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
