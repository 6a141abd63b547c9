import ErrandHTTPGrammar

/// An entity tag (RFC 9110 §8.8.3): `"r7"`, or `W/"r7"` for a weak one.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    public var opaque: String
    /// True if equal tags promise only equivalent content, not identical bytes.
    public var isWeak: Bool

    /// Creates a tag from opaque text without quotes and control characters.
    public init(opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses a single tag; returns `nil` if the text is not one.
    public init?(_ text: String) {
        var rest = text[...].trimmingOptionalWhitespace()
        guard let tag = Self.take(from: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// The tag as a header field value.
    public var description: String {
        isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\""
    }

    /// Compares strongly: both tags are strong and equal (RFC 9110 §8.8.3.2).
    ///
    /// Used for ranges and `If-Match`.
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Compares weakly: the texts are equal, whether the tags are weak or strong (RFC 9110 §8.8.3.2).
    ///
    /// Used for `If-None-Match`.
    public func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Parses and removes a tag at the start of a text.
    static func take(from text: inout Substring) -> EntityTag? {
        let isWeak = text.hasPrefix("W/")
        if isWeak { text.removeFirst(2) }
        guard text.first == "\"" else { return nil }
        text.removeFirst()
        guard let quote = text.utf8.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let opaque = text[..<quote]
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }) else { return nil }
        text = text[text.utf8.index(after: quote)...]
        return EntityTag(opaque: String(opaque), isWeak: isWeak)
    }
}
