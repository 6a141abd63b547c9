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
    }
}

extension HTTPListenAddress {
    /// The address as the configuration has it.
    init(_ address: Configuration.ListenAddress) {
        self.init(host: address.host, port: address.port)
    }
}
