/// A JSON text and the tree of its values.
public struct JSONDocument: Sendable {
    /// The text.
    public let bytes: [UInt8]
    /// The value at the top.
    public let root: JSONValue

    /// Reads a text: RFC 8259 in UTF-8.
    ///
    /// A byte order mark at the start is dropped. Half of a surrogate pair, which the grammar has but no `String` can
    /// hold, is an error (RFC 8259 §8.2). Repeated names are kept.
    public static func parse(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) -> JSONDocument {
        var parser = JSONParser(scanner: JSONScanner(bytes), maxDepth: limits.maxDepth)
        return JSONDocument(bytes: bytes, root: try parser.parse())
    }

    private init(bytes: [UInt8], root: JSONValue) {
        self.bytes = bytes
        self.root = root
    }

    /// The bytes of a value as they stand in the text.
    public func slice(of value: JSONValue) -> ArraySlice<UInt8> {
        let range = value.range.clamped(to: bytes.indices)
        return bytes[range]
    }

    /// Where a byte of the text is.
    public func position(of offset: Int) -> JSONPosition {
        JSONPosition(offset: offset, in: bytes)
    }
}
