/// The type and subtype of a `Content-Type` (RFC 9110 §8.3.1), without parameters.
public struct MediaType: Sendable, Hashable {
    /// The type in lower case, such as `application`.
    public let type: String
    /// The subtype in lower case, such as `problem+json`.
    public let subtype: String

    /// Reads the value of a header field; `nil` when it does not begin with two tokens and a slash between them.
    public init?(_ value: String) {
        let essence = OptionalWhitespace.trimmed(Substring(value.utf8.prefix { $0 != UInt8(ascii: ";") }))
        guard let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let type = essence[..<slash]
        let subtype = essence[essence.utf8.index(after: slash)...]
        guard Token.isToken(type.utf8), Token.isToken(subtype.utf8) else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
    }
}

extension MediaType: CustomStringConvertible {
    /// The media type as a header field writes it.
    public var description: String { "\(type)/\(subtype)" }
}
