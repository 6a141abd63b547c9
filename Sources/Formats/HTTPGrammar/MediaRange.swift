/// A media range: `application/json`, `text/*`, `*/json`, `*/*` (based on RFC 9110 §12.5.1).
///
/// A structured suffix is not a wildcard: `application/json` does not include `application/problem+json`, which needs
/// its own range.
public struct MediaRange: Sendable, Hashable {
    /// The type in lower case, or `*`.
    public let type: String
    /// The subtype in lower case, or `*`.
    public let subtype: String

    /// Parses a range; returns `nil` if `text` is not two tokens, or `*`, separated by a slash.
    ///
    /// Parameters are not accepted.
    public init?(_ text: String) {
        guard !text.utf8.contains(UInt8(ascii: ";")), let range = MediaType(text),
            Self.isPart(range.type), Self.isPart(range.subtype)
        else { return nil }
        self.init(type: range.type, subtype: range.subtype)
    }

    /// Creates a range from its parts, which are in lower case.
    package init(type: String, subtype: String) {
        self.type = type
        self.subtype = subtype
    }

    /// Returns true for `*` or a token without `*`, which would have no meaning inside a token.
    private static func isPart(_ token: String) -> Bool {
        token == "*" || !token.utf8.contains(UInt8(ascii: "*"))
    }

    /// True for `*/*`, which also includes a missing or malformed content type.
    public var isAny: Bool { type == "*" && subtype == "*" }

    /// Returns true if `mediaType` is in the range, whatever its parameters.
    public func contains(_ mediaType: MediaType) -> Bool {
        (type == "*" || type == mediaType.type) && (subtype == "*" || subtype == mediaType.subtype)
    }
}

extension MediaRange: CustomStringConvertible {
    /// The range in the form of the configuration.
    public var description: String { "\(type)/\(subtype)" }
}
