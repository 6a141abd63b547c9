/// Where clients connect: an address with a port, or a socket in the file system.
package enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address and a port.
    case tcp(TCPAddress)
    /// A Unix socket.
    case unix(UnixSocketAddress)

    /// Reads an address with its port; `nil` when `text` is none.
    package init?(_ text: String) {
        guard let address = TCPAddress(text) else { return nil }
        self = .tcp(address)
    }

    /// 127.0.0.1:8080, where the gateway listens unless it is told otherwise.
    static let standard = ListenAddress.tcp(.standard)

    /// Whether only this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .tcp(let address): address.isLoopback
        case .unix: true
        }
    }

    /// The address as a URL, and so a `Host` header, has it; `nil` for a Unix socket, which has none.
    package var urlHost: String? {
        switch self {
        case .tcp(let address): address.urlHost
        case .unix: nil
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
