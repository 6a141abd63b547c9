import HTTPGrammar
import HTTPTypes
import SessionCore
import Transfer
import YAML

extension SettingType where Value == HTTPURL {
    /// An absolute URL with the scheme `http` or `https`, without credentials.
    static var url: SettingType {
        let shape = ScalarShape(label: "absolute URL, http or https", expectation: "an absolute http or https URL")
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                do throws(HTTPURLError) {
                    return try HTTPURL(text)
                } catch {
                    throw .because("expected \(shape.expectation): \(error)")
                }
            },
            format: { .text($0.string) })
    }
}

extension SettingType where Value == String {
    /// An origin (RFC 6454 §6.2): scheme, host and, where it is not the scheme's own, port.
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

    /// The value of a header field.
    static var headerValue: SettingType {
        .text("text") { RequestHeaderRules.reasonToRefuse(value: $0) }
    }

    /// The name of a host, or an address as a URL has it, without a port.
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

extension SettingType where Value == ListenAddress {
    /// An address and a port to listen on, or a mapping with a Unix socket; see ``ListenAddress``.
    static var listenAddress: SettingType {
        let scalar = SettingType.scalar(
            ScalarShape(label: "address with port", expectation: "an address such as 127.0.0.1:8080"),
            parse: { text throws(ScalarRefusal) in
                guard let address = ListenAddress(text) else { throw .unexpected }
                return address
            },
            format: { .text($0.description) })
        let socket = SettingType<UnixSocketAddress>.group(UnixSocketAddress.settings)
            .mapped({ ListenAddress.unix($0) }, { $0.socket ?? UnixSocketAddress(path: "") })
        return .either(scalar, or: socket, isMapping: { $0.socket != nil })
    }
}

extension ListenAddress {
    /// The Unix socket; `nil` for another address.
    fileprivate var socket: UnixSocketAddress? {
        if case .unix(let socket) = self { socket } else { nil }
    }
}

extension SettingType where Value == HTTPRequest.Method {
    /// A method, in upper case from here on.
    static var method: SettingType {
        .scalar(
            ScalarShape(label: "method", expectation: "a method such as GET"),
            parse: { text throws(ScalarRefusal) in
                guard let method = HTTPRequest.Method(text.uppercased()) else { throw .unexpected }
                guard method != .connect else { throw .because("CONNECT asks for a tunnel, which no task can use") }
                return method
            },
            format: { .text($0.rawValue) })
    }
}

extension SettingType where Value == MediaRange {
    /// A content type, possibly with `*`.
    static var mediaRange: SettingType {
        .scalar(
            ScalarShape(label: "content type", expectation: "a content type such as application/json or text/*"),
            parse: { text throws(ScalarRefusal) in
                guard let range = MediaRange(text) else { throw .unexpected }
                return range
            },
            format: { .text($0.description) })
    }
}

extension SettingType where Value == ClosedRange<Int> {
    /// A status code, or a range of them.
    static var statusRange: SettingType {
        .scalar(
            ScalarShape(
                label: "status or range",
                expectation: "a status such as 204 or a range such as 200-299, from 100 to 999",
                constraint: .pattern("^[1-9][0-9]{2}(-[1-9][0-9]{2})?$", orInteger: true)),
            parse: { text throws(ScalarRefusal) in
                guard let range = StatusText.parse(text) else { throw .unexpected }
                return range
            },
            format: { range in
                .plain(range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)")
            })
    }
}
