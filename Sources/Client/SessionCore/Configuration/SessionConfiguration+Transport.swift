import ErrandAuthentication
import ErrandEgress
public import ErrandTransfer

extension SessionConfiguration {
    /// The options of the session's transport: ``connection``, completed with values that depend on the base URL.
    ///
    /// ``egress`` learns which host and port are the session's own. A client certificate without origins is presented
    /// like credentials: to the origin of the base URL and to that of the token endpoint; without a base URL, to all.
    /// Fixed addresses of a host without a port apply to the ports 80 and 443, and to the base URL's port if it is the
    /// base URL's host, unless the port has an entry of its own.
    public var transportOptions: ConnectionOptions {
        var options = connection
        options.egress = EgressRule(egress, own: baseURL.map { EgressDestination(host: $0.host, port: $0.port) })
        if let baseURL, options.tls.clientCertificate?.origins.isEmpty == true {
            var origins: Set = [baseURL.origin]
            origins.formUnion((credentials?.endpoints ?? []).map(\.url.origin))
            options.tls.clientCertificate?.origins = origins
        }
        options.fixedAddresses = addressesByPort
        return options
    }

    /// The fixed addresses, each with its port.
    private var addressesByPort: [FixedAddress] {
        let entries = connection.fixedAddresses
        let own = Set(entries.filter { $0.port != FixedAddress.noPort }.map { "\($0.host):\($0.port)" })
        return entries.filter { !$0.addresses.isEmpty }.flatMap { entry -> [FixedAddress] in
            guard entry.port == FixedAddress.noPort else { return [entry] }
            var ports = FixedAddress.defaultPorts
            if let baseURL, baseURL.host == entry.host, !ports.contains(baseURL.port) { ports.append(baseURL.port) }
            return ports.filter { !own.contains("\(entry.host):\($0)") }.map {
                FixedAddress(host: entry.host, port: $0, addresses: entry.addresses)
            }
        }
    }
}
