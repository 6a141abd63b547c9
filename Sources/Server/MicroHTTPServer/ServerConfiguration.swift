public import ErrandHTTPServer

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
    public var limits: ServerLimits
    /// The limits of durations.
    public var timeouts: ServerTimeouts

    /// Creates a configuration.
    public init(
        listeners: [ListenAddress] = [ListenAddress()], tls: TLS? = nil, limits: ServerLimits = ServerLimits(),
        timeouts: ServerTimeouts = ServerTimeouts()
    ) {
        self.listeners = listeners
        self.tls = tls
        self.limits = limits
        self.timeouts = timeouts
    }
}

extension ServerLimits {
    /// The size of the block that libmicrohttpd allocates for each connection, in bytes.
    var connectionMemoryBytes: Int { min(max(maxHeaderBytes, 8 * 1024), 1 << 30) * 2 }

    /// The limits for the bytes of a connection.
    var stream: RequestStreamValidator.Limits {
        RequestStreamValidator.Limits(
            headBytes: maxHeaderBytes, targetBytes: maxTargetBytes, recordBytes: connectionMemoryBytes / 8 * 3)
    }
}
