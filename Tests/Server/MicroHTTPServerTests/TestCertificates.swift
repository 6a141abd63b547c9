import ErrandSupport
import MicroHTTPServer

extension ServerConfiguration.TLS {
    /// Returns a TLS configuration with a new certificate for 127.0.0.1.
    static func test(clientAuthorities: [UInt8]? = nil) throws -> ServerConfiguration.TLS {
        let certificate = try TestCertificate("CN=test", .server)
        return ServerConfiguration.TLS(
            certificateChain: try certificate.pem(), privateKey: try certificate.keyPEM(),
            clientAuthorities: clientAuthorities)
    }
}
