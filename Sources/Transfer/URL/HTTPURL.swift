/// An absolute `http` or `https` URL (RFC 3986, RFC 9110 §4.2), parsed once and normal from then on.
///
/// What is judged is what is dialled: the value holds the very characters that go to the wire, so that policies about
/// origins and paths, and the connection that is made, cannot disagree. Making one normalises:
///
/// | part | rule |
/// | --- | --- |
/// | scheme, host | lower case; `0x7f.1` and its like become dotted IPv4 (as libcurl dials them), IPv6 is written as RFC 5952 says |
/// | port | the scheme's default is dropped |
/// | path | an empty one is `/`; dot segments are removed (RFC 3986 §5.2.4), also those written `%2e` |
/// | path, query | what RFC 3986 does not allow there is percent-encoded as UTF-8 (space, `"`, `<`, `[`, `\`, `é`…), also a `%` that begins no escape; escapes that are there stay as they are written |
/// | fragment | dropped: it never leaves a client (RFC 9110 §7.1) |
///
/// Refused, each with its own ``HTTPURLError``: user information, control characters, other schemes, hosts that are not
/// ASCII names or address literals (an internationalised name is written in its `xn--` form), zone identifiers.
public struct HTTPURL: Sendable {
    /// The two schemes there are.
    public enum Scheme: String, Sendable, Hashable {
        /// Cleartext.
        case http
        /// Over TLS.
        case https

        /// The port that a URL without one means: 80 or 443.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// Scheme, host and port: who answers for a resource (RFC 9110 §4.3.1, RFC 6454).
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        /// The scheme.
        public let scheme: Scheme
        /// The host as in ``HTTPURL/host``.
        public let host: String
        /// The port, never missing.
        public let port: UInt16

        /// `scheme://host`, with the port when it is not the scheme's own.
        public var description: String {
            port == scheme.defaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
        }
    }

    /// The longest text that is parsed, in bytes.
    public static let maxBytes = 65_536

    /// Who is asked.
    public let origin: Origin
    /// The path: begins with `/`, percent-encoded, without dot segments.
    public let path: String
    /// What follows `?`, percent-encoded; `nil` when there is no `?`, empty when nothing follows it.
    public let query: String?
    /// The whole URL as it is dialled.
    public let string: String

    /// Parses an absolute URL.
    ///
    /// - Throws: The first thing that is wrong with it.
    public init(_ text: String) throws(HTTPURLError) {
        let reference = try URLReference(text)
        guard let scheme = reference.scheme else { throw .notAbsolute }
        self = try Self(scheme: Self.scheme(named: scheme), reference: reference)
    }

    /// A URL from parts that are normal already.
    init(origin: Origin, path: String, query: String?) {
        self.origin = origin
        self.path = path
        self.query = query
        string = if let query { "\(origin)\(path)?\(query)" } else { "\(origin)\(path)" }
    }

    /// The scheme.
    public var scheme: Scheme { origin.scheme }

    /// The host: a name in lower case, a dotted IPv4 address, or an IPv6 address in brackets.
    public var host: String { origin.host }

    /// The port, the scheme's own when the text had none.
    public var port: UInt16 { origin.port }

    /// The path and the query: the request target of RFC 9112 §3.2.1.
    public var target: String {
        if let query { "\(path)?\(query)" } else { path }
    }
}

extension HTTPURL: Hashable, CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }

    /// Whether both are written alike, which normal URLs are when they mean the same.
    public static func == (one: HTTPURL, other: HTTPURL) -> Bool {
        one.string == other.string
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(string)
    }
}
