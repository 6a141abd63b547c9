import HTTPGrammar

/// An entity tag (RFC 9110 §8.8.3): `"r7"`, or `W/"r7"` for a weak one.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    public var opaque: String
    /// Two weakly equal representations mean the same but may differ in bytes.
    public var isWeak: Bool

    /// Creates a tag of an opaque text without quotes and control characters.
    public init(opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Reads a single tag; `nil` when the text is not one.
    public init?(_ text: String) {
        var rest = text[...].trimmingOptionalWhitespace()
        guard let tag = Self.take(from: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// The tag as a header field value.
    public var description: String {
        isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\""
    }

    /// The strong comparison: both are strong and the same (RFC 9110 §8.8.3.2).
    ///
    /// For ranges and `If-Match`.
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The weak comparison: the same text, weak or not (RFC 9110 §8.8.3.2).
    ///
    /// For `If-None-Match`.
    public func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Takes a tag from the front of a text.
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
