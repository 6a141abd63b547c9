/// The host and port of a URL.
public struct EgressDestination: Sendable, Hashable {
    /// The host as in a URL, normalised: in lower case, IPv6 in brackets.
    public var host: String
    /// The port.
    public var port: UInt16

    /// Creates a destination.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The address that the host denotes; `nil` for a name.
    public var address: IPAddress? {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.utf8.count > 2 else { return IPAddress(host) }
        return IPAddress(host.dropFirst().dropLast())
    }
}
