/// A request target in origin form (RFC 9112 §3.2.1), taken apart but never changed.
///
/// The path is split at `/` before anything is decoded, so that `%2F` stays inside its segment; empty segments are
/// kept (`/a//b` has three) and dot segments are ordinary ones, so that a target means exactly what its sender wrote.
/// A target that cannot be read in one way only is refused as a whole: a broken escape, `%00`, escapes that are not
/// UTF-8, and bytes that have no place in a target (controls, space, `#`, anything beyond ASCII). The other printable
/// characters are let through although RFC 3986 wants them escaped, as browsers send them.
public struct RequestTarget: Sendable, Hashable, CustomStringConvertible {
    /// The target as it came over the wire.
    public let raw: String
    /// The path as it came over the wire, without the query: `/v1/tasks%2F1`.
    ///
    /// `*` for the asterisk form.
    public let path: String
    /// The query as it came over the wire, without its `?`; `nil` when there is none, empty for a lone `?`.
    public let query: String?
    /// The decoded segments of the path: `["v1", "tasks/1"]`.
    ///
    /// `/` has one, which is empty; `*` has none.
    public let segments: [String]

    /// Reads a target.
    ///
    /// - Throws: ``RequestTargetError`` when the target is illegal.
    public init(_ raw: String) throws(RequestTargetError) {
        self.raw = raw
        guard raw != "*" else {
            path = raw
            query = nil
            segments = []
            return
        }
        let bytes = raw.utf8
        guard bytes.first == UInt8(ascii: "/") else { throw .notOriginForm }
        for byte in bytes where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") {
            throw .illegalCharacter(byte)
        }
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
            let query = raw[bytes.index(after: mark)...]
            guard PercentCoding.isDecodable(query.utf8) else { throw .illegalEscape }
            path = String(raw[..<mark])
            self.query = String(query)
        } else {
            path = raw
            query = nil
        }
        segments = try Self.segments(of: path)
    }

    /// The names and values of the query, decoded as HTML forms write them: split at `&`, then at the first `=`, with
    /// `+` for a space (WHATWG URL, `application/x-www-form-urlencoded` parsing).
    ///
    /// Read anew at each call.
    public var queryItems: [QueryItem] {
        guard let query else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(
                name: PercentCoding.decodedFormText(parts[0]),
                value: parts.count > 1 ? PercentCoding.decodedFormText(parts[1]) : "")
        }
    }

    /// The target as it came over the wire.
    public var description: String { raw }

    private static func segments(of path: String) throws(RequestTargetError) -> [String] {
        var segments: [String] = []
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard segment.utf8.contains(UInt8(ascii: "%")) else {
                segments.append(String(segment))
                continue
            }
            guard let decoded = PercentCoding.decoded(segment.utf8) else { throw .illegalEscape }
            segments.append(decoded)
        }
        return segments
    }
}

/// One name and value of a query.
public struct QueryItem: Sendable, Hashable {
    /// The decoded name.
    public var name: String
    /// The decoded value; empty when the item has no `=`.
    public var value: String

    /// Creates an item.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
