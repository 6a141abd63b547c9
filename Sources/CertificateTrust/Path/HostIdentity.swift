import COpenSSL
import Glibc

/// Whom a client means by a URL's host, and whether a certificate is theirs (RFC 9525).
enum HostIdentity: Hashable {
    /// A DNS name in ASCII, without a dot at its end.
    case name(String)
    /// An address: 4 bytes, or 16.
    case address([UInt8])
    /// Nothing that a certificate can be for.
    case nobody

    /// Reads a URL's host: a name, a dotted IPv4 address, or an IPv6 address in brackets, whose zone is dropped.
    init(_ host: String) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            let literal = host.dropFirst().dropLast().prefix { $0 != "%" }
            self = Self.address(String(literal), AF_INET6, count: 16).map { .address($0) } ?? .nobody
        } else if let address = Self.address(host, AF_INET, count: 4) {
            self = .address(address)
        } else {
            let name = host.hasSuffix(".") ? host.dropLast() : host[...]
            // OpenSSL takes a dot at the beginning for "any name below".
            let isName = !name.isEmpty && !name.hasPrefix(".") && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            self = isName ? .name(String(name)) : .nobody
        }
    }

    /// Whether a certificate is for it.
    ///
    /// Only subject alternative names count, `dNSName` for names and `iPAddress` for addresses; a wildcard stands for
    /// one whole label, the leftmost (RFC 9525 §6.3). The subject's common name is never looked at.
    func isHost(of certificate: Certificate) -> Bool {
        ErrorQueue.preserving {
            switch self {
            case .name(let name):
                let flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
                return X509_check_host(certificate.pointer, name, name.utf8.count, UInt32(flags), nil) == 1
            case .address(let bytes):
                return X509_check_ip(certificate.pointer, bytes, bytes.count, 0) == 1
            case .nobody:
                return false
            }
        }
    }

    private static func address(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
