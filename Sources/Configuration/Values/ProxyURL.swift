import Egress

/// The URL of a proxy: scheme, host and port, with or without user information.
struct ProxyURL {
    /// The schemes: what is spoken with the proxy.
    private static let schemes = ["http", "https", "socks5", "socks5h"]

    /// The URL as it is dialled: the scheme and the host in lower case.
    let text: String
    /// The same without the user information.
    let shown: String
    /// The host and the port.
    let destination: EgressDestination

    /// Reads a URL; `nil` for what is none.
    ///
    /// The port has to be there: clients do not agree on the one that is meant without.
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

    /// Whether all characters are ones that RFC 3986 §3.2.1 has there, with whole escapes, none of a NUL.
    private static func isUserInformation(_ text: Substring) -> Bool {
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                rest = rest.dropFirst(2)
                guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
                    value > 0,
                    !digits.contains(UInt8(ascii: "+"))
                else { return false }
            } else {
                let isWord = Character(Unicode.Scalar(byte)).isASCII && byte > 0x20 && byte < 0x7F
                guard isWord, !"/?#[]@\\\"<>^`{|}".utf8.contains(byte) else { return false }
            }
        }
        return true
    }
}
