import ErrandText

/// An address that clients connect to: an IP address with a port, or a socket in the file system.
package enum SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address and a port.
    case tcp(TCPAddress)
    /// A Unix socket.
    case unix(UnixSocketAddress)

    /// Reads an address with its port; returns `nil` for any other text.
    package init?(_ text: String) {
        guard let address = TCPAddress(text) else { return nil }
        self = .tcp(address)
    }

    /// 127.0.0.1:8080, the default listening address.
    static let standard = SocketAddress.tcp(.standard)

    /// True if only this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .tcp(let address): address.isLoopback
        case .unix: true
        }
    }

    /// The address as URLs and the `Host` header write it; `nil` for a Unix socket.
    package var urlHost: String? {
        switch self {
        case .tcp(let address): address.urlHost
        case .unix: nil
        }
    }

    /// Returns true if a process cannot listen on both addresses: they are equal, or one has all addresses of the machine
    /// with the same port.
    ///
    /// - Parameter folder: The folder in which relative paths of sockets begin; `nil` if it is not known.
    func conflicts(with other: SocketAddress, from folder: String?) -> Bool {
        switch (self, other) {
        case (.tcp(let address), .tcp(let other)): address.conflicts(with: other)
        case (.unix(let socket), .unix(let other)):
            socket.path.path(from: folder).normalizedPath == other.path.path(from: folder).normalizedPath
        case (.tcp, .unix), (.unix, .tcp): false
        }
    }

    /// `127.0.0.1:8080`, or `unix:/run/errand.sock`.
    package var description: String {
        switch self {
        case .tcp(let address): address.description
        case .unix(let socket): socket.description
        }
    }
}
