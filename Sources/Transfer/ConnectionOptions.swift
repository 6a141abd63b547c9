public import Egress

/// How a transport makes and keeps connections.
///
/// One set of options, one pool: pools never share connections.
public struct ConnectionOptions: Sendable, Hashable {
    /// Which protocol versions are used.
    public var version: HTTPVersionPreference
    /// The most connections to one host at a time.
    ///
    /// Transfers beyond it wait for one.
    public var maxConnectionsPerHost: Int
    /// The most connections kept open; ``maxConnectionsPerHost`` where that is more, or they would be closed while
    /// they are needed.
    public var maxIdleConnections: Int
    /// The proxy to go through, as a URL of http, https, socks5 or socks5h; `nil` for none.
    ///
    /// Without a port, libcurl takes 1080, and 443 for https.
    ///
    /// The environment's proxies are never used.
    public var proxy: String?
    /// Addresses of hosts that are not asked from the name service.
    public var fixedAddresses: [FixedAddress]
    /// The network interface or numeric address that connections leave from; `nil` for the system's choice.
    public var interface: String?
    /// The path of a Unix socket that connections are made to, instead of the URL's host; `nil` for none.
    ///
    /// No ``egress`` but ``/Egress/EgressRule/unrestricted`` lets them through.
    public var unixSocket: String?
    /// What is asked of TLS.
    public var tls: TLSOptions
    /// Which addresses may be dialled.
    public var egress: EgressRule

    /// Creates options; the defaults are the ones of the configuration.
    public init(
        version: HTTPVersionPreference = .automatic, maxConnectionsPerHost: Int = 32, maxIdleConnections: Int = 32,
        proxy: String? = nil, fixedAddresses: [FixedAddress] = [], interface: String? = nil,
        unixSocket: String? = nil, tls: TLSOptions = TLSOptions(), egress: EgressRule = .unrestricted
    ) {
        self.version = version
        self.maxConnectionsPerHost = maxConnectionsPerHost
        self.maxIdleConnections = maxIdleConnections
        self.proxy = proxy
        self.fixedAddresses = fixedAddresses
        self.interface = interface
        self.unixSocket = unixSocket
        self.tls = tls
        self.egress = egress
    }
}

/// The addresses of one host and port, instead of what the name service says.
public struct FixedAddress: Sendable, Hashable {
    /// The host as it stands in a URL.
    public var host: String
    /// The port.
    public var port: UInt16
    /// Numeric addresses, IPv6 ones in brackets, tried in this order.
    public var addresses: [String]

    /// Creates an entry from its parts.
    public init(host: String, port: UInt16, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

/// Which HTTP versions a transport speaks.
public enum HTTPVersionPreference: String, Sendable, Hashable, CaseIterable {
    /// HTTP/2 where TLS negotiates it, HTTP/1.1 otherwise.
    case automatic = "auto"
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2; on `http://` with prior knowledge (RFC 9113 §3.3).
    case http2 = "2"
}
