import ErrandText
import ErrandTransfer

/// A host as URLs write it (RFC 3986 §3.2.2), with or without a port.
struct HostAndPort {
    /// The name in lower case, a dotted IPv4 address, or an IPv6 address in brackets.
    let host: String
    /// The port; `nil` if the text has none.
    let port: UInt16?

    /// Reads `host` or `host:port`; returns `nil` for any other text.
    init?(_ text: String) {
        // Refuses everything but an authority, because the URL parser would take the rest for other parts of a URL.
        guard !text.utf8.contains(where: { "/?#@\\".utf8.contains($0) || $0 <= 0x20 || $0 >= 0x7F }),
            let url = try? HTTPURL("http://\(text)")
        else { return nil }
        host = url.host
        let rest = text.hasPrefix("[") ? text.drop { $0 != "]" } : Substring(text)
        guard let colon = rest.firstIndex(of: ":") else {
            port = nil
            return
        }
        guard rest.index(after: colon) != rest.endIndex else { return nil }
        port = url.port
    }

    /// True if the host is an address.
    ///
    /// The last label of a name is not a number, because URLs treat such a host as an IPv4 address.
    var isAddress: Bool {
        host.hasPrefix("[")
            || host.utf8.last?.isASCIIDigit == true
                && host.split(separator: ".").allSatisfy { UInt8($0) != nil }
    }
}
