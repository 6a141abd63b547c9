import ErrandText
import ErrandTransfer

/// An address and a port to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
///
/// Names are refused, because the address of a name can change, and with it the clients that can connect. The exception
/// is `localhost`, which means 127.0.0.1 (RFC 6761 §6.3).
package struct TCPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address, IPv6 without brackets.
    package let host: String
    /// The port; 0 lets the system choose.
    package let port: UInt16
    /// True if `host` is an IPv6 address.
    package let isIPv6: Bool

    /// Reads an address with its port; returns `nil` for any other text.
    package init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        guard let port = UInt16(decimalDigits: text[text.utf8.index(after: colon)...]) else { return nil }
        let written = text[..<colon]
        let isIPv6 = written.hasPrefix("[")
        let host = written == "localhost" ? "127.0.0.1" : String(written)
        guard isIPv6 || Self.isDotted(host), let normal = Self.normal(host), isIPv6 || normal == host else {
            return nil
        }
        self.host = isIPv6 ? String(normal.dropFirst().dropLast()) : normal
        self.port = port
        self.isIPv6 = isIPv6
    }

    /// 127.0.0.1:8080, the default listening address.
    static let standard = TCPAddress(host: "127.0.0.1", port: 8080, isIPv6: false)

    private init(host: String, port: UInt16, isIPv6: Bool) {
        self.host = host
        self.port = port
        self.isIPv6 = isIPv6
    }

    /// True if only this machine can connect: 127.0.0.0/8 (RFC 1122 §3.2.1.3) and ::1 (RFC 4291 §2.5.3).
    package var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

    /// True if the address means all addresses of the machine of its family.
    private var isWildcard: Bool { host == (isIPv6 ? "::" : "0.0.0.0") }

    /// Returns true if a process cannot listen on both addresses.
    func conflicts(with other: TCPAddress) -> Bool {
        guard port == other.port, port != 0, isIPv6 == other.isIPv6 else { return false }
        return host == other.host || isWildcard || other.isWildcard
    }

    /// The address as URLs write it, IPv6 in brackets.
    package var urlHost: String { isIPv6 ? "[\(host)]" : host }

    /// The text as the file writes it.
    package var description: String { "\(urlHost):\(port)" }

    private static func isDotted(_ host: String) -> Bool {
        host.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    }

    /// Returns the host in its normal form, or `nil` if a URL could not contain it.
    private static func normal(_ host: String) -> String? {
        guard host.utf8.count <= 64 else { return nil }
        do throws(HTTPURLError) {
            return try HTTPURL("http://\(host)/").host
        } catch {
            return nil
        }
    }
}
