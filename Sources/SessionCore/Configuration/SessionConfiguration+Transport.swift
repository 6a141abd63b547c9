import Authentication
import Egress
public import Transfer

extension SessionConfiguration {
    /// What the session's transport is made with: ``connection``, together with what the base URL has to do with it.
    ///
    /// ``egress`` knows which host and port are the session's own. A client certificate that is not told where to be
    /// shown is shown as credentials are, to the base URL's origin and to the one that tokens are asked from; without a
    /// base URL, everywhere.
    public var transportOptions: ConnectionOptions {
        var options = connection
        options.egress = EgressRule(egress, own: baseURL.map { EgressDestination(host: $0.host, port: $0.port) })
        if let baseURL, options.tls.clientCertificate?.origins.isEmpty == true {
            var origins: Set = [baseURL.origin]
            if case .oauth2(let client) = credentials { origins.insert(client.tokenURL.origin) }
            options.tls.clientCertificate?.origins = origins
        }
        return options
    }
}
