import ErrandConfiguration
import ErrandSettings
import MicroHTTPServer

extension ServerConfiguration {
    /// Creates the server's configuration from the settings.
    init(_ settings: GatewayServerConfiguration) {
        self.init(
            listeners: settings.listen.map(ListenAddress.init), limits: settings.limits, timeouts: settings.timeouts)
        tls = settings.tls.map { TLS($0) }
    }
}

extension ServerConfiguration.TLS {
    /// Creates the TLS configuration from the settings.
    init(_ settings: GatewayServerConfiguration.TLS) {
        self.init(
            certificateChain: settings.certificate.bytes, privateKey: settings.key.bytes,
            clientAuthorities: settings.clientCA?.bytes)
    }
}

extension ListenAddress {
    /// Creates the address from the settings.
    init(_ address: SocketAddress) {
        switch address {
        case .tcp(let address): self = .tcp(host: address.host, port: address.port)
        case .unix(let socket): self = .unix(path: socket.path, mode: socket.mode)
        }
    }

    /// Returns the URL for clients; for a Unix socket, its path.
    func url(overTLS: Bool) -> String {
        switch self {
        case .tcp: "\(overTLS ? "https" : "http")://\(self)/"
        case .unix: description
        }
    }
}
