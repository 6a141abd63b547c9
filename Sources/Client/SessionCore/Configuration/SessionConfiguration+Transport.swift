import ErrandAuthentication
import ErrandEgress
public import ErrandTransfer

extension SessionConfiguration {
    /// The options of the session's transport: ``connection``, completed with values that depend on the base URL.
    ///
    /// ``egress`` learns which host and port are the session's own. A client certificate without origins is presented
    /// like credentials: to the origin of the base URL and to that of the token endpoint; without a base URL, to all.
    /// Fixed addresses that the base URL's host has for both ports 80 and 443, as a host configured without a port has
    /// them, also apply to the base URL's port.
    public var transportOptions: ConnectionOptions {
        var options = connection
        options.egress = EgressRule(egress, own: baseURL.map { EgressDestination(host: $0.host, port: $0.port) })
        if let baseURL, options.tls.clientCertificate?.origins.isEmpty == true {
            var origins: Set = [baseURL.origin]
            origins.formUnion((credentials?.endpoints ?? []).map(\.url.origin))
            options.tls.clientCertificate?.origins = origins
        }
        if let baseURL, let addresses = addressesWithoutPort(of: baseURL.host),
            !connection.fixedAddresses.contains(where: { $0.host == baseURL.host && $0.port == baseURL.port })
        {
            options.fixedAddresses.append(
                FixedAddress(host: baseURL.host, port: baseURL.port, addresses: addresses))
        }
        return options
    }

    /// Returns the fixed addresses that a host has for the default ports of both schemes, if they are equal.
    private func addressesWithoutPort(of host: String) -> [String]? {
        let addresses = [HTTPURL.Scheme.http, .https].map { scheme in
            connection.fixedAddresses.first { $0.host == host && $0.port == scheme.defaultPort }?.addresses
        }
        return addresses[0] == addresses[1] ? addresses[0] : nil
    }
}
