/// A media type with room in it: `application/json`, `text/*`, `*/json`, `*/*` (after RFC 9110 §12.5.1).
///
/// A structured suffix is no wildcard: `application/json` does not take `application/problem+json`, which is a range of
/// its own.
public struct MediaRange: Sendable, Hashable {
    /// The type in lower case, or `*`.
    public let type: String
    /// The subtype in lower case, or `*`.
    public let subtype: String

    /// Reads a range; `nil` when `text` is not two tokens, or `*`, with a slash between them.
    ///
    /// Parameters are not taken.
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

    /// A `*` that stands for a part of a token would be a wildcard that means nothing here.
    private static func isPart(_ token: String) -> Bool {
        token == "*" || !token.utf8.contains(UInt8(ascii: "*"))
    }

    /// `*/*`, which takes a missing or malformed content type too.
    public var isAny: Bool { type == "*" && subtype == "*" }

    /// Whether `mediaType` is in the range; its parameters do not matter.
    public func contains(_ mediaType: MediaType) -> Bool {
        (type == "*" || type == mediaType.type) && (subtype == "*" || subtype == mediaType.subtype)
    }
}

extension MediaRange: CustomStringConvertible {
    /// The range as a configuration writes it.
    public var description: String { "\(type)/\(subtype)" }
}
