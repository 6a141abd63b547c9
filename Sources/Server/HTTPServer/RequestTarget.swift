import ErrandText

/// A request target in origin form or absolute form (RFC 9112 §3.2), split into its parts but never changed.
///
/// The path is split at `/` before it is decoded, so that `%2F` stays inside its segment. Empty segments are kept
/// (`/a//b` has three) and dot segments are not resolved, so that a target means exactly what its sender wrote. An
/// ambiguous target is rejected as a whole: a broken escape, `%00`, escapes that are not UTF-8, and bytes that are
/// illegal in a target (controls, space, `#`, anything beyond ASCII). Other printable characters are accepted, although
/// RFC 3986 requires escapes for them, because browsers send them.
public struct RequestTarget: Sendable, Hashable, CustomStringConvertible {
    /// The target as received.
    public let raw: String
    /// The host and port of the absolute form, `http://example.com:8080/v1/tasks`; `nil` for other forms.
    ///
    /// It takes precedence over the header field `Host` (RFC 9112 §3.2.2).
    public let authority: String?
    /// The path as received, without the query: `/v1/tasks%2F1`.
    ///
    /// `*` for the asterisk form.
    public let path: String
    /// The query as received, without its `?`; `nil` if there is none, empty for a lone `?`.
    public let query: String?
    /// The names and values of the query, decoded as an HTML form.
    ///
    /// The query is split at `&`, then at the first `=`, with `+` for a space (WHATWG URL,
    /// `application/x-www-form-urlencoded` parsing).
    public let queryItems: [QueryItem]
    /// The decoded segments of the path: `["v1", "tasks/1"]`.
    ///
    /// `/` has one empty segment; `*` has none.
    public let segments: [String]

    /// Parses a target.
    ///
    /// - Throws: ``RequestTargetError`` if the target is illegal.
    public init(_ raw: String) throws(RequestTargetError) {
        self.raw = raw
        guard raw != "*" else {
            authority = nil
            path = raw
            query = nil
            queryItems = []
            segments = []
            return
        }
        for byte in raw.utf8 where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") {
            throw .illegalCharacter(byte)
        }
        let origin: Substring
        (authority, origin) = try Self.parts(of: raw)
        let path: String
        if let mark = origin.utf8.firstIndex(of: UInt8(ascii: "?")) {
            let query = origin[origin.utf8.index(after: mark)...]
            guard Self.isDecodable(query) else { throw .illegalEscape }
            path = String(origin[..<mark])
            self.query = String(query)
            queryItems = Self.items(of: query)
        } else {
            path = String(origin)
            query = nil
            queryItems = []
        }
        // An absolute target may omit the path (RFC 9110 §4.2.3).
        self.path = path.isEmpty ? "/" : path
        segments = try Self.segments(of: self.path)
    }

    /// Returns the authority of an absolute target, and the path with the query.
    private static func parts(of raw: String) throws(RequestTargetError) -> (String?, Substring) {
        guard raw.utf8.first != UInt8(ascii: "/") else { return (nil, raw[...]) }
        guard let colon = raw.firstIndex(of: ":"), ["http", "https"].contains(raw[..<colon].lowercased()),
            raw[colon...].hasPrefix("://")
        else { throw .notOriginForm }
        let rest = raw[raw.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = String(rest[..<end])
        // A URI of these schemes requires a host, and must not have user information (RFC 9110 §4.2).
        guard !authority.isEmpty, authority.utf8.first != UInt8(ascii: ":"), HeadValidator.isSaneHost(authority) else {
            throw .illegalAuthority
        }
        return (authority, rest[end...])
    }

    /// The target as received.
    public var description: String { raw }

    private static func items(of query: Substring) -> [QueryItem] {
        var items: [QueryItem] = []
        var rest = query.utf8
        while !rest.isEmpty {
            let item = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[item.endIndex...].dropFirst()
            guard !item.isEmpty else { continue }
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            items.append(
                QueryItem(
                    name: decodedFormText(name), value: decodedFormText(item[name.endIndex...].dropFirst())))
        }
        return items
    }

    private static func segments(of path: String) throws(RequestTargetError) -> [String] {
        var segments: [String] = []
        // Most paths have at most this many; without it the array would grow several times.
        segments.reserveCapacity(4)
        // Without the first byte, a slash.
        var rest = path.utf8.dropFirst()
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            segments.append(try segment(path[rest.startIndex..<end]))
            guard end != rest.endIndex else { return segments }
            rest = rest[rest.index(after: end)...]
        }
    }

    /// Returns the decoded text of a segment.
    private static func segment(_ text: Substring) throws(RequestTargetError) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        guard let decoded = Self.decoded(text) else { throw .illegalEscape }
        return decoded
    }

    // MARK: Escapes

    /// Returns a decoded text, or `nil` if an escape is broken, is NUL, or makes invalid UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        guard let octets = PercentCoding.decodeStrictly(text.utf8), !octets.contains(0) else { return nil }
        return String(validating: octets, as: UTF8.self)
    }

    /// Returns true if a query has no escapes that ``decoded(_:)`` refuses.
    private static func isDecodable(_ query: Substring) -> Bool {
        guard query.utf8.contains(UInt8(ascii: "%")) else { return true }
        return decoded(query) != nil
    }

    /// Returns the decoded text of a form's name or value, with `+` as a space.
    ///
    /// The bytes were checked before; if they cannot be decoded after all, they are returned unchanged.
    private static func decodedFormText(_ bytes: Substring.UTF8View) -> String {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }),
            let octets = PercentCoding.decodeStrictly(bytes, plusIsSpace: true), !octets.contains(0),
            let text = String(validating: octets, as: UTF8.self)
        else { return String(bytes) ?? "" }
        return text
    }
}

/// One name and value of a query.
public struct QueryItem: Sendable, Hashable {
    /// The decoded name.
    public var name: String
    /// The decoded value; empty if the item has no `=`.
    public var value: String

    /// Creates an item.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
