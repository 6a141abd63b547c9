/// An address that a server listens on.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A port of an IPv4 or IPv6 address, which is written without brackets: `127.0.0.1`, `::1`, `0.0.0.0`.
    ///
    /// Names are not looked up. Port 0 stands for one that is free.
    case tcp(host: String, port: UInt16)
    /// A Unix socket: a file at `path`, whose permissions are `mode` from the moment it can be connected to.
    ///
    /// The path has at most 107 bytes (`unix(7)`). Its directory has to exist, and to be readable. A socket that a dead
    /// process has left there is replaced; one that somebody serves, and any other file, is an error. The file is
    /// removed when the server stops to listen.
    case unix(path: String, mode: UInt16)

    /// A port of an IPv4 or IPv6 address, of `127.0.0.1` by default; 0 for one that is free.
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

    /// Whether it is a port rather than a Unix socket.
    var isTCP: Bool { port != nil }

    /// The address as in a URL, or the path of the socket: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/errand.sock`.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:\(path)"
        }
    }
}
