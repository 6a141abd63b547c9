import CErrandCurl
import ErrandEgress

/// The address of a proxy as libcurl parses it.
struct ProxyAddress {
    /// The scheme in lower case: `http`, `https`, `socks5`, `socks5h`, or one that libcurl will refuse.
    let scheme: String
    /// The host and port of the proxy, the host in the form used in URLs.
    let destination: EgressDestination

    /// Parses a proxy's URL with libcurl's own parser, so that the checked address is the one connected to.
    ///
    /// Returns `nil` for an invalid URL, which libcurl will refuse.
    init?(_ text: String) throws(CurlFailure) {
        var url = try CurlURL()
        guard url.setProxy(text), let scheme = url.part(CURLUPART_SCHEME), let host = url.part(CURLUPART_HOST) else {
            return nil
        }
        self.scheme = scheme.lowercased()
        let port = url.part(CURLUPART_PORT).flatMap { UInt16($0) }
        destination = EgressDestination(host: host.lowercased(), port: port ?? (self.scheme == "https" ? 443 : 1080))
    }

    /// A Boolean value that indicates whether connections to the proxy use TLS.
    var isSecure: Bool { scheme == "https" }

    /// A Boolean value that indicates whether the proxy forwards bytes without reading requests.
    var isSOCKS: Bool { scheme.hasPrefix("socks") }

    /// A Boolean value that indicates whether libcurl looks up the names of hosts, and gives the proxy their addresses.
    var resolvesHere: Bool { isSOCKS && scheme != "socks5h" && scheme != "socks4a" }
}
