import CErrandOpenSSL
import Glibc

/// The reference identity of a URL's host, which certificates are compared with (RFC 9525).
enum HostIdentity: Hashable {
    /// A DNS name in ASCII, without a trailing dot.
    case name(String)
    /// An IP address of 4 or 16 bytes.
    case address([UInt8])
    /// A host that no certificate can be for.
    case unmatchable

    /// Parses a URL's host: a name, a dotted IPv4 address, or an IPv6 address in brackets, whose zone is dropped.
    init(_ host: String) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            let literal = host.dropFirst().dropLast().prefix { $0 != "%" }
            self = Self.address(String(literal), AF_INET6, count: 16).map { .address($0) } ?? .unmatchable
        } else if let address = Self.address(host, AF_INET, count: 4) {
            self = .address(address)
        } else {
            let name = host.hasSuffix(".") ? host.dropLast() : host[...]
            // OpenSSL would interpret a leading dot as "any subdomain".
            let isName = !name.isEmpty && !name.hasPrefix(".") && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            self = isName ? .name(String(name)) : .unmatchable
        }
    }

    /// Returns whether a certificate is for this host.
    ///
    /// Only subject alternative names count: `dNSName` for names and `iPAddress` for addresses. A wildcard matches one
    /// whole label, the leftmost (RFC 9525 §6.3). The subject's common name is ignored.
    func isHost(of certificate: Certificate) -> Bool {
        ErrorQueue.preserving {
            switch self {
            case .name(let name):
                let flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
                return X509_check_host(certificate.pointer, name, name.utf8.count, UInt32(flags), nil) == 1
            case .address(let bytes):
                return X509_check_ip(certificate.pointer, bytes, bytes.count, 0) == 1
            case .unmatchable:
                return false
            }
        }
    }

    private static func address(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
