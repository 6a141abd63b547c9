/// An absolute `http` or `https` URL (RFC 3986, RFC 9110 §4.2), parsed and normalized once.
///
/// The value holds exactly the characters that are sent, so that policies for origins and paths cannot disagree with
/// the connection that is made. The initializer normalizes:
///
/// | part | rule |
/// | --- | --- |
/// | scheme, host | lower case; `0x7f.1` and its like become dotted IPv4 (as in libcurl), IPv6 is written in the format of RFC 5952 |
/// | port | the scheme's default is dropped |
/// | path | an empty path becomes `/`; dot segments are removed (RFC 3986 §5.2.4), also those written `%2e` |
/// | path, query | characters that RFC 3986 does not allow are percent-encoded as UTF-8 (space, `"`, `<`, `[`, `\`, `é`…), including a `%` that begins no escape; existing escapes stay as they are written |
/// | fragment | dropped: clients never send it (RFC 9110 §7.1) |
///
/// Each of these is rejected with its own ``HTTPURLError``: user information, control characters, other schemes, hosts
/// that are not ASCII names or address literals (internationalized names must be in their `xn--` form), zone
/// identifiers.
public struct HTTPURL: Sendable {
    /// The supported schemes.
    public enum Scheme: String, Sendable, Hashable {
        /// Cleartext.
        case http
        /// Over TLS.
        case https

        /// The port of a URL without one: 80 or 443.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// The scheme, host and port of a URL (RFC 9110 §4.3.1, RFC 6454).
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        /// The scheme.
        public let scheme: Scheme
        /// The host, as in ``HTTPURL/host``.
        public let host: String
        /// The port, explicit or the scheme's default.
        public let port: UInt16

        /// `scheme://host`, with the port unless it is the scheme's default.
        public var description: String {
            var text = ""
            write(to: &text)
            return text
        }

        /// Appends the ``description``.
        fileprivate func write(to text: inout String) {
            text += scheme.rawValue
            text += "://"
            text += host
            guard port != scheme.defaultPort else { return }
            text += ":"
            text += String(port)
        }
    }

    /// The maximum length of a URL, in bytes.
    public static let maxBytes = 65_536

    /// The scheme, host and port.
    public let origin: Origin
    /// The path: begins with `/`, percent-encoded, without dot segments.
    public let path: String
    /// The part after `?`, percent-encoded; `nil` without a `?`, empty if nothing follows it.
    public let query: String?
    /// The whole URL as it is requested.
    public let string: String

    /// Parses an absolute URL.
    ///
    /// - Throws: The first error found.
    public init(_ text: String) throws(HTTPURLError) {
        let reference = try URLReference(text)
        guard let scheme = reference.scheme else { throw .notAbsolute }
        self = try Self(scheme: Self.scheme(named: scheme), reference: reference)
    }

    /// Creates a URL from normalized parts.
    init(origin: Origin, path: String, query: String?) {
        self.origin = origin
        self.path = path
        self.query = query
        var text = ""
        // 15 bytes for the scheme, the port and their delimiters, and the question mark.
        text.reserveCapacity(15 + origin.host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0))
        origin.write(to: &text)
        text += path
        if let query {
            text += "?"
            text += query
        }
        string = text
    }

    /// The scheme.
    public var scheme: Scheme { origin.scheme }

    /// The host: a name in lower case, a dotted IPv4 address, or an IPv6 address in brackets.
    public var host: String { origin.host }

    /// The port, by default the scheme's.
    public var port: UInt16 { origin.port }

    /// The path and the query: the request target of RFC 9112 §3.2.1.
    public var target: String {
        if let query { "\(path)?\(query)" } else { path }
    }
}

extension HTTPURL: Hashable, CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }

    /// Compares the normalized text.
    public static func == (one: HTTPURL, other: HTTPURL) -> Bool {
        one.string == other.string
    }

    /// Hashes the normalized text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(string)
    }
}
