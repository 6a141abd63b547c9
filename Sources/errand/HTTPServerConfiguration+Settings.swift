import Configuration
import MicroHTTPServer

extension HTTPServerConfiguration {
    /// The server as the configuration wants it.
    init(_ settings: Configuration.ServerConfiguration) {
        self.init(listeners: settings.listen.map(HTTPListenAddress.init))
        limits.maxHeaderBytes = settings.maxHeaderBytes
        limits.maxConnections = settings.maxConnections
        limits.maxConnectionsPerAddress = settings.maxConnectionsPerAddress
        timeouts.header = settings.timeouts.header
        timeouts.body = settings.timeouts.body
        timeouts.bodyIdle = settings.timeouts.bodyIdle
        timeouts.keepAlive = settings.timeouts.keepAlive
        timeouts.minBodyBytesPerSecond = settings.minRateBytesPerSecond
        tls = settings.tls.map { tls in
            TLS(
                certificateChain: tls.certificate.bytes, privateKey: tls.key.bytes,
                clientAuthorities: tls.clientCA?.bytes)
        }
    }
}

extension HTTPListenAddress {
    /// The address as the configuration has it.
    init(_ address: Configuration.ListenAddress) {
        switch address {
        case .tcp(let address): self = .tcp(host: address.host, port: address.port)
        case .unix(let socket): self = .unix(path: socket.path, mode: socket.mode)
        }
    }

    /// Where clients find it, as a URL; of a Unix socket, its path.
    func url(overTLS: Bool) -> String {
        switch self {
        case .tcp: "\(overTLS ? "https" : "http")://\(self)/"
        case .unix: description
        }
    }
}
