/// A cookie as stored by a client (RFC 6265 §5.3).
///
/// Values are valid by construction: they can be sent in a `Cookie` field as they are.
///
/// `SameSite` is not stored: it depends on the site whose page made a request, and a server-side client has no pages.
public struct Cookie: Sendable, Hashable {
    /// The identity of a cookie; a new cookie replaces the old one with the same identity (RFC 6265 §5.3 step 11).
    ///
    /// As in draft-ietf-httpbis-rfc6265bis, a host-only cookie differs from one for the whole domain.
    public struct ID: Sendable, Hashable {
        /// The name; case-sensitive.
        public let name: String
        /// The domain in lower case, without a leading dot.
        public let domain: String
        /// True if the cookie is for the host ``domain`` only.
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

    /// The maximum length of ``ID/name`` and ``value`` together, in bytes: 4096 (draft-ietf-httpbis-rfc6265bis §5.6).
    public static let maxBytes = 4096

    /// The identity: name, domain and path.
    public let id: ID
    /// The value, including quotes if it has any.
    public let value: String
    /// The expiry date, in seconds since 1970-01-01 UTC; `nil` for a session cookie, which ends with the process.
    public let expires: Int64?
    /// True if the cookie is sent over https only.
    public let isSecure: Bool
    /// True if the server asked to hide the cookie from scripts.
    ///
    /// Stored as information only, as there are no scripts here.
    public let isHTTPOnly: Bool
    /// The position of the cookie in the order of creation: lower numbers are older.
    ///
    /// It replaces the RFC's creation time, whose seconds cannot order the cookies of one response. A jar numbers its
    /// cookies; a cookie that was just parsed has 0.
    public internal(set) var creationOrder: Int64
    /// The time of the last storing or sending, in seconds since 1970-01-01 UTC; the least recently used cookie is
    /// evicted first.
    ///
    /// A jar whose clock was set back gives the latest time that it has known.
    public internal(set) var lastAccess: Int64

    /// The name; case-sensitive.
    public var name: String { id.name }
    /// The domain in lower case, without a leading dot: a host name or an address as in a URL.
    public var domain: String { id.domain }
    /// True if the cookie is sent to the host ``domain`` only, not to hosts below it.
    public var isHostOnly: Bool { id.isHostOnly }
    /// The path at and below which the cookie is sent; begins with `/`.
    public var path: String { id.path }

    /// Creates a cookie; returns `nil` if no server could have set it.
    ///
    /// This is the case if the name is empty or contains `=`, if name or value contain `;` or a control character, or
    /// begin or end with a space or tab, if both together are longer than ``maxBytes``, if the domain is empty, or if
    /// the path does not begin with `/`.
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

    /// Returns true if the cookie has expired.
    public func isExpired(at now: Int64) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    private static func isText(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: ";") || isControl($0) }
            && !isSpace(text.utf8.first) && !isSpace(text.utf8.last)
    }

    private static func isSpace(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Returns true for a control character other than the tab; a `Set-Cookie` field that contains one is ignored.
    static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F
    }
}

extension Cookie.ID {
    /// Compares the bytes.
    ///
    /// Swift considers a letter equal to its decomposed form; servers and databases do not.
    public static func == (one: Self, other: Self) -> Bool {
        one.isHostOnly == other.isHostOnly && one.domain == other.domain
            && one.name.isSame(as: other.name) && one.path.isSame(as: other.path)
    }
}

extension String {
    /// Returns true if both strings have the same bytes.
    func isSame(as other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}

extension Cookie: Identifiable {}

/// Descriptions never show the value, because cookies are credentials.
extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, domain and path, without the value.
    public var description: String {
        "\(name)=[redacted] (\(isHostOnly ? "" : ".")\(domain)\(path))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// An empty mirror: `dump` and test failures show ``description`` only.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
