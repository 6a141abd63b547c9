import CCurl
import Egress

/// A proxy as libcurl reads it.
struct ProxyAddress {
    /// The protocol, in lower case: `http`, `https`, `socks5`, `socks5h`, or what libcurl will refuse.
    let scheme: String
    /// Where it is dialled, the host as in a URL.
    let destination: EgressDestination

    /// Reads a proxy's URL with libcurl's own parser, so that what is judged is what is dialled.
    ///
    /// `nil` when there is none in it, and libcurl will refuse it.
    init?(_ text: String) throws(CurlFailure) {
        var url = try CurlURL()
        guard url.setProxy(text), let scheme = url.part(CURLUPART_SCHEME), let host = url.part(CURLUPART_HOST) else {
            return nil
        }
        self.scheme = scheme.lowercased()
        let port = url.part(CURLUPART_PORT).flatMap { UInt16($0) }
        destination = EgressDestination(host: host.lowercased(), port: port ?? (self.scheme == "https" ? 443 : 1080))
    }

    /// Whether it is spoken to over TLS.
    var isSecure: Bool { scheme == "https" }

    /// Whether it passes on bytes whatever they are, and reads no requests.
    var isSOCKS: Bool { scheme.hasPrefix("socks") }
}
