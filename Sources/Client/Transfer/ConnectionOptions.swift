package import ErrandEgress

/// The options by which a transport opens and reuses connections.
///
/// Each set of options has its own pool; pools never share connections.
public struct ConnectionOptions: Sendable, Hashable {
    /// The protocol versions to use.
    public var version: HTTPVersionPreference
    /// The maximum number of simultaneous connections to one host.
    ///
    /// Further transfers wait for a free connection.
    public var maxConnectionsPerHost: Int
    /// The maximum number of idle connections; at least ``maxConnectionsPerHost`` takes effect, or connections would be
    /// closed while they are needed.
    public var maxIdleConnections: Int
    /// The URL of the proxy (http, https, socks5 or socks5h); `nil` for none.
    ///
    /// Without a port, libcurl uses 443 for https and 1080 otherwise.
    ///
    /// Proxy variables of the environment are ignored.
    public var proxy: String?
    /// The hosts whose addresses are fixed instead of resolved.
    public var fixedAddresses: [FixedAddress]
    /// The local network interface or numeric address of connections; `nil` for the system's choice.
    public var interface: String?
    /// The path of the Unix socket to connect to instead of the URL's host; `nil` for none.
    ///
    /// A socket has no address that rules could be about. So only an egress policy that allows every address permits such
    /// connections: it allows private networks, denies none, and trusts the proxy.
    public var unixSocket: String?
    /// The TLS settings.
    public var tls: TLSOptions
    /// The rule that decides to which addresses connections may be made; a session has that of its own policy.
    package var egress: EgressRule

    /// Creates options; the defaults are those of the configuration.
    public init(
        version: HTTPVersionPreference = .automatic, maxConnectionsPerHost: Int = 32, maxIdleConnections: Int = 32,
        proxy: String? = nil, fixedAddresses: [FixedAddress] = [], interface: String? = nil,
        unixSocket: String? = nil, tls: TLSOptions = TLSOptions()
    ) {
        self.version = version
        self.maxConnectionsPerHost = maxConnectionsPerHost
        self.maxIdleConnections = maxIdleConnections
        self.proxy = proxy
        self.fixedAddresses = fixedAddresses
        self.interface = interface
        self.unixSocket = unixSocket
        self.tls = tls
        egress = .unrestricted
    }

    /// Creates options with a rule of their own, for a transport without a session.
    package init(proxy: String? = nil, fixedAddresses: [FixedAddress] = [], egress: EgressRule) {
        self.init(proxy: proxy, fixedAddresses: fixedAddresses)
        self.egress = egress
    }
}

/// The fixed addresses of one host and port, used instead of name resolution.
public struct FixedAddress: Sendable, Hashable {
    /// The host as written in a URL.
    public var host: String
    /// The port; 0 in the entry of a host without a port, which a session applies to each of the ports 80 and 443 and
    /// that of its base URL that has no entry of its own.
    public var port: UInt16
    /// Numeric addresses, IPv6 in brackets, tried in this order; none if the name is resolved for this port, despite an
    /// entry of the host without a port.
    public var addresses: [String]

    /// The value of ``port`` in the entry of a host without a port.
    package static let noPort: UInt16 = 0

    /// The ports that the entry of a host without a port stands for, besides that of the base URL.
    package static let defaultPorts: [UInt16] = [HTTPURL.Scheme.http, .https].map(\.defaultPort)

    /// Creates an entry from its parts.
    public init(host: String, port: UInt16, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// Creates the entry of a host without a port, for the configuration of a session.
    public init(host: String, addresses: [String]) {
        self.init(host: host, port: Self.noPort, addresses: addresses)
    }
}

/// The HTTP versions that a transport uses.
public enum HTTPVersionPreference: String, Sendable, Hashable, CaseIterable {
    /// HTTP/2 where TLS negotiates it, HTTP/1.1 otherwise.
    case automatic = "auto"
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2; on `http://` with prior knowledge (RFC 9113 §3.3).
    case http2 = "2"
}
