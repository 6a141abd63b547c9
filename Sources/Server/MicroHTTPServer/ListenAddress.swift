/// An address that a server listens on.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A port of an IPv4 or IPv6 address, without brackets: `127.0.0.1`, `::1`, `0.0.0.0`.
    ///
    /// Host names are not resolved. Port 0 selects a free port.
    case tcp(host: String, port: UInt16)
    /// A Unix socket: a file at `path` with the permissions `mode` from the moment at which it accepts connections.
    ///
    /// The path has at most 107 bytes (`unix(7)`). Its directory must exist and be readable. The socket of a dead
    /// process is replaced; a socket in use, and any other file, is an error. The file is removed when the server stops
    /// listening.
    case unix(path: String, mode: UInt16)

    /// Creates a TCP address, by default on `127.0.0.1` and on port 0, which selects a free port.
    public init(host: String = "127.0.0.1", port: UInt16 = 0) {
        self = .tcp(host: host, port: port)
    }

    /// The IP address; `nil` for a Unix socket.
    public var host: String? {
        if case .tcp(let host, _) = self { host } else { nil }
    }

    /// The port; `nil` for a Unix socket.
    public var port: UInt16? {
        if case .tcp(_, let port) = self { port } else { nil }
    }

    /// True if this is a TCP address rather than a Unix socket.
    var isTCP: Bool { port != nil }

    /// The address as in a URL, or the path of the socket: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/errand.sock`.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:\(path)"
        }
    }
}
