import ErrandEgress
import ErrandText

/// The URL of a proxy: scheme, host and port, with or without user information.
struct ProxyURL {
    /// The accepted schemes, which select the protocol to the proxy.
    private static let schemes = ["http", "https", "socks5", "socks5h"]

    /// The URL for connecting, with scheme and host in lower case.
    let text: String
    /// The same without the user information.
    let shown: String
    /// The host and the port.
    let destination: EgressDestination

    /// Reads a URL; returns `nil` for any other text.
    ///
    /// The port is required, because clients do not agree on a default.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard Self.schemes.contains(scheme) else { return nil }
        var authority = text[colon...].dropFirst("://".count)
        if authority.last == "/" { authority.removeLast() }
        let userInformation = authority.lastIndex(of: "@").map { authority[..<$0] }
        if let userInformation { authority = authority.dropFirst(userInformation.count + 1) }
        guard userInformation.map(Self.isUserInformation) ?? true, let host = HostAndPort(String(authority)),
            let port = host.port
        else { return nil }
        destination = EgressDestination(host: host.host, port: port)
        self.text = "\(scheme)://\(userInformation.map { "\($0)@" } ?? "")\(host.host):\(port)"
        shown = "\(scheme)://\(userInformation == nil ? "" : "[redacted]@")\(host.host):\(port)"
    }

    /// Returns true if all characters are allowed in user information (RFC 3986 §3.2.1), with complete escapes and no
    /// NUL.
    private static func isUserInformation(_ text: Substring) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#[]@\\\"<>^`{|}".utf8.contains($0) }),
            let decoded = PercentCoding.decodeStrictly(text.utf8)
        else { return false }
        return !decoded.contains(0)
    }
}
