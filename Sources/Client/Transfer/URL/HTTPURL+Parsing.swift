import ErrandEgress
import ErrandText

extension HTTPURL {
    /// Creates the URL of a reference that has an authority.
    init(scheme: Scheme, reference: URLReference) throws(HTTPURLError) {
        guard let authority = reference.authority else { throw .noHost }
        self.init(
            origin: try Self.origin(scheme: scheme, authority: authority),
            path: Self.normalPath(reference.path), query: Self.normalQuery(reference.query))
    }

    static func scheme(named name: String) throws(HTTPURLError) -> Scheme {
        guard let scheme = Scheme(rawValue: name) else { throw .unsupportedScheme(name) }
        return scheme
    }

    /// Returns the normalized path of a reference.
    static func normalPath(_ path: some BidirectionalCollection<UInt8>) -> String {
        let normal = DotSegments.removed(from: PercentCoding.encodeKeepingEscapes(path, keeping: .urlPath))
        return normal.isEmpty ? "/" : normal
    }

    /// Returns the normalized query of a reference.
    static func normalQuery(_ query: ArraySlice<UInt8>?) -> String? {
        query.map { PercentCoding.encodeKeepingEscapes($0, keeping: .urlQuery) }
    }

    /// Parses `host [ ":" port ]` of RFC 3986 §3.2.
    private static func origin(
        scheme: Scheme, authority: ArraySlice<UInt8>
    ) throws(HTTPURLError) -> Origin {
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }
        let (host, rest) = try splitHost(authority)
        guard !rest.isEmpty else { return Origin(scheme: scheme, host: host, port: scheme.defaultPort) }
        guard rest.first == UInt8(ascii: ":") else { throw .badHost }
        return Origin(scheme: scheme, host: host, port: try port(rest.dropFirst(), of: scheme))
    }

    private static func splitHost(
        _ authority: ArraySlice<UInt8>
    ) throws(HTTPURLError) -> (host: String, rest: ArraySlice<UInt8>) {
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .badIPv6 }
            let literal = authority[(authority.startIndex + 1)..<end]
            guard let address = IPAddress(String(decoding: literal, as: UTF8.self)), case .v6 = address else {
                throw .badIPv6
            }
            return ("[\(address)]", authority[(end + 1)...])
        }
        let end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        return (try HostName.normal(authority[..<end]), authority[end...])
    }

    /// Parses the digits after a host's colon; no digits mean the scheme's default port (RFC 3986 §3.2.3).
    private static func port(_ digits: ArraySlice<UInt8>, of scheme: Scheme) throws(HTTPURLError) -> UInt16 {
        guard !digits.isEmpty else { return scheme.defaultPort }
        guard let port = UInt16(decimalDigits: String(decoding: digits, as: UTF8.self)), port > 0 else {
            throw .badPort
        }
        return port
    }
}

extension ASCIISet {
    /// The characters of a URL's path that need no escape: `pchar` and `/` (RFC 3986 §3.3).
    static let urlPath = ASCIISet.unreserved.union("!$&'()*+,;=:@/")
    /// The characters of a URL's query that need no escape: those of a path, and `?` (RFC 3986 §3.4).
    static let urlQuery = urlPath.union("?")
}
