/// How cookies are matched with hosts (RFC 6265 §5.1.3).
///
/// Hosts are as in a URL that is normal: names in lower case, dotted IPv4 addresses, IPv6 addresses in brackets.
enum CookieDomain {
    /// Whether a host belongs to a domain: it is the same, or a name that ends in a dot and the domain.
    static func matches(host: String, domain: String) -> Bool {
        guard host != domain else { return true }
        let rest = host.utf8.count - domain.utf8.count
        return rest > 0 && host.utf8.dropFirst(rest).elementsEqual(domain.utf8)
            && host.utf8.dropFirst(rest - 1).first == UInt8(ascii: ".") && !isAddress(host)
    }

    /// The domains that a host belongs to: itself, and for a name everything after one of its dots.
    static func domains(of host: String) -> some Sequence<Substring> {
        let isAddress = isAddress(host)
        return sequence(first: host[...]) { domain in
            guard !isAddress, let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            return domain[domain.utf8.index(after: dot)...]
        }
    }

    /// Whether a host is an address.
    ///
    /// A URL's host whose last label is a number is an IPv4 address, or there would be no such URL.
    static func isAddress(_ host: String) -> Bool {
        guard host.utf8.first != UInt8(ascii: "[") else { return true }
        let label = host.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }
        return !label.isEmpty && label.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
