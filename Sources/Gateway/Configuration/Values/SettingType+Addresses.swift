import ErrandSettings
import ErrandTransfer

extension SettingType where Value == String {
    /// The type of an origin (RFC 6454 §6.2): scheme, host and, unless it is the default, port.
    static var origin: SettingType {
        .scalar(
            ScalarShape(label: "origin", expectation: "an origin such as https://console.example.com"),
            parse: { text throws(ScalarRefusal) in
                guard let url = try? HTTPURL(text), text.lowercased() == url.origin.description else {
                    throw .unexpected
                }
                return url.origin.description
            },
            format: { .text($0) })
    }

    /// The type of a host name, or of an address as URLs write it, without a port.
    static var host: SettingType {
        .scalar(
            ScalarShape(label: "host name", expectation: "a host name such as gateway.example.com, without a port"),
            parse: { text throws(ScalarRefusal) in
                guard let url = try? HTTPURL("http://\(text)/"), text.lowercased() == url.host else {
                    throw .unexpected
                }
                return url.host
            },
            format: { .text($0) })
    }
}

extension SettingType where Value == SocketAddress {
    /// The type of an address and a port to listen on, or a mapping with a Unix socket; see ``SocketAddress``.
    static var socketAddress: SettingType {
        let scalar = SettingType.scalar(
            ScalarShape(label: "address with port", expectation: "an address such as 127.0.0.1:8080"),
            remedy: { Remedy.listeningAddress($0) },
            parse: { text throws(ScalarRefusal) in
                guard let address = SocketAddress(text) else { throw .unexpected }
                return address
            },
            format: { .text($0.description) })
        let socket = SettingType<UnixSocketAddress>.group(UnixSocketAddress.settings)
            .mapped({ SocketAddress.unix($0) }, { $0.socket ?? UnixSocketAddress(path: "") })
        return .either(scalar, or: socket, isMapping: { $0.socket != nil })
    }
}

extension SocketAddress {
    /// The Unix socket; `nil` for other addresses.
    fileprivate var socket: UnixSocketAddress? {
        if case .unix(let socket) = self { socket } else { nil }
    }
}
