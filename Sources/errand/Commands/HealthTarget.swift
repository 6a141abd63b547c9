import CertificateTrust
import Configuration
import Transfer

/// Where this machine asks a gateway for its health, and whom it takes for it.
struct HealthTarget {
    /// The base URL.
    let url: String
    /// How it is connected to.
    let connection: ConnectionOptions

    /// A gateway at a URL that somebody has given.
    init(url: String) {
        self.url = url
        connection = ConnectionOptions()
    }

    /// The first listening address of a configuration that can be asked; `nil` when all want a client certificate.
    ///
    /// A wildcard address is reached by loopback. Over TLS the gateway is known by its certificate, whatever the names
    /// in it: that is in the configuration too.
    init?(_ server: ServerConfiguration) throws(CertificateError) {
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
    /// The address that this machine reaches it by, with its port.
    fileprivate var reachable: String {
        switch host {
        case "0.0.0.0": "127.0.0.1:\(port)"
        case "::": "[::1]:\(port)"
        default: "\(urlHost):\(port)"
        }
    }
}
