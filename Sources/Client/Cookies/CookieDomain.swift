import ErrandText

/// Domain matching (RFC 6265 §5.1.3).
///
/// Hosts are those of a normalized URL: names in lower case, dotted IPv4 addresses, IPv6 addresses in brackets.
enum CookieDomain {
    /// Returns true if the host equals the domain, or is a name that ends in a dot and the domain.
    static func matches(host: String, domain: String) -> Bool {
        guard host != domain else { return true }
        let rest = host.utf8.count - domain.utf8.count
        return rest > 0 && host.utf8.dropFirst(rest).elementsEqual(domain.utf8)
            && host.utf8.dropFirst(rest - 1).first == UInt8(ascii: ".") && !isAddress(host)
    }

    /// Returns the domains that a host belongs to: itself and, for a name, the part after each of its dots.
    static func domains(of host: String) -> some Sequence<Substring> {
        let isAddress = isAddress(host)
        return sequence(first: host[...]) { domain in
            guard !isAddress, let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            return domain[domain.utf8.index(after: dot)...]
        }
    }

    /// Returns true if the host is an address.
    ///
    /// If the last label of a URL's host is a number, the host is an IPv4 address, because others are rejected.
    static func isAddress(_ host: String) -> Bool {
        guard host.utf8.first != UInt8(ascii: "[") else { return true }
        let label = host.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }
        return !label.isEmpty && label.allSatisfy(\.isASCIIDigit)
    }
}
