/// A cookie as a client keeps it (RFC 6265 §5.3).
///
/// Values are well-formed by construction: what stands in one can be sent in a `Cookie` field as it is.
///
/// Not kept is `SameSite`: it asks which site's page made a request, and the requests of a server-side client are made
/// by no page.
public struct Cookie: Sendable, Hashable {
    /// What makes a new cookie take the place of an old one (RFC 6265 §5.3 step 11).
    ///
    /// As in draft-ietf-httpbis-rfc6265bis, a cookie of one host and one of its whole domain are two.
    public struct ID: Sendable, Hashable {
        /// The name, with its case.
        public let name: String
        /// The domain in lower case, without a dot in front.
        public let domain: String
        /// Whether the cookie belongs to the host ``domain`` alone.
        public let isHostOnly: Bool
        /// The path.
        public let path: String

        /// Creates an identity.
        public init(name: String, domain: String, isHostOnly: Bool, path: String) {
            self.name = name
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
        }
    }

    /// The most bytes that ``ID/name`` and ``value`` have together: 4096 (draft-ietf-httpbis-rfc6265bis §5.6).
    public static let maxBytes = 4096

    /// Name, domain and path.
    public let id: ID
    /// The value, with the quotes if it has any.
    public let value: String
    /// When it expires, in seconds since 1970-01-01 UTC; `nil` for a session cookie, which ends with the process.
    public let expires: Int64?
    /// Whether it is sent over https only.
    public let isSecure: Bool
    /// Whether the server asked for it to be kept from scripts.
    ///
    /// There are none here: it is kept as information.
    public let isHTTPOnly: Bool
    /// Which cookie was made first: the lower, the earlier.
    ///
    /// Takes the place of the RFC's creation time, whose seconds cannot tell the cookies of one response apart. A jar
    /// numbers its cookies; a cookie that was just parsed has 0.
    public internal(set) var creationOrder: Int64
    /// When it was stored or sent last, in seconds since 1970-01-01 UTC: the longest unused is evicted first.
    public internal(set) var lastAccess: Int64

    /// The name, with its case.
    public var name: String { id.name }
    /// The domain in lower case, without a dot in front: a host name or an address as in a URL.
    public var domain: String { id.domain }
    /// Whether it goes to the host ``domain`` alone, not to those below it.
    public var isHostOnly: Bool { id.isHostOnly }
    /// The path below which it is sent; begins with `/`.
    public var path: String { id.path }

    /// Creates a cookie; `nil` when it could not have come from a server.
    ///
    /// That is when the name is empty or holds `=`, name or value hold `;` or a control character, both together are
    /// longer than ``maxBytes``, the domain is empty, or the path does not begin with `/`.
    public init?(
        id: ID, value: String, expires: Int64? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false,
        creationOrder: Int64 = 0, lastAccess: Int64 = 0
    ) {
        guard !id.name.isEmpty, !id.name.utf8.contains(UInt8(ascii: "=")), Self.isText(id.name), Self.isText(value),
            id.name.utf8.count + value.utf8.count <= Self.maxBytes,
            !id.domain.isEmpty, id.path.utf8.first == UInt8(ascii: "/")
        else { return nil }
        self.id = id
        self.value = value
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.creationOrder = creationOrder
        self.lastAccess = lastAccess
    }

    /// Whether its time is over.
    public func isExpired(at now: Int64) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    private static func isText(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: ";") || isControl($0) }
    }

    /// Whether a `Set-Cookie` field with this byte is to be ignored: controls but the tab.
    static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F
    }
}

extension Cookie.ID {
    /// Whether both are written with the same bytes.
    ///
    /// Swift takes a letter and its decomposed form for equal, servers and databases do not.
    public static func == (one: Self, other: Self) -> Bool {
        one.isHostOnly == other.isHostOnly && one.domain == other.domain
            && one.name.isSame(as: other.name) && one.path.isSame(as: other.path)
    }
}

extension String {
    /// Whether both have the same bytes.
    func isSame(as other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}

extension Cookie: Identifiable {}

/// Values of cookies are credentials: none is shown.
extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path, without the value.
    public var description: String {
        "\(name)=[redacted] (\(isHostOnly ? "" : ".")\(domain)\(path))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Nothing: `dump` and test failures show ``description`` only.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
