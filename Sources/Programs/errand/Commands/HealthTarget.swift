import ErrandCertificateTrust
import ErrandConfiguration
import ErrandSettings
import ErrandTransfer

/// The address for a health check, and the expected server identity.
struct HealthTarget {
    /// The base URL.
    let url: String
    /// The connection options.
    let connection: ConnectionOptions

    /// Creates the target of a URL given by the user.
    init(url: String) {
        self.url = url
        connection = ConnectionOptions()
    }

    /// Returns the first listening address of a configuration that requires no client certificate, or `nil`.
    ///
    /// A wildcard address is reached by loopback. Over TLS the gateway is identified by its configured certificate,
    /// whatever names it contains.
    init?(_ server: GatewayServerConfiguration) throws(CertificateError) {
        for address in server.listen {
            switch address {
            case .unix(let socket):
                url = "http://localhost/"
                connection = ConnectionOptions(unixSocket: socket.path)
                return
            case .tcp(let address):
                guard let tls = server.tls else {
                    url = "http://\(address.reachable)/"
                    connection = ConnectionOptions()
                    return
                }
                guard tls.clientCA == nil else { continue }
                url = "https://\(address.reachable)/"
                connection = ConnectionOptions(tls: TLSOptions(trust: try Self.trust(in: tls.certificate)))
                return
            }
        }
        return nil
    }

    private static func trust(in file: FileContent) throws(CertificateError) -> TrustPolicy {
        let pins = try CertificateFile.read(file.bytes).prefix(1).map {
            CertificatePin(label: file.path, .certificate($0))
        }
        return TrustPolicy(
            pinning: .publicKey, pins: pins, pinScope: .leaf, allowsInvalidCertificates: true, validatesDomain: false)
    }
}

extension TCPAddress {
    /// The address and port to reach it from this machine.
    fileprivate var reachable: String {
        switch host {
        case "0.0.0.0": "127.0.0.1:\(port)"
        case "::": "[::1]:\(port)"
        default: "\(urlHost):\(port)"
        }
    }
}
