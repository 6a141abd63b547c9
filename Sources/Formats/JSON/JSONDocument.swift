/// A JSON text and the tree of its values.
public struct JSONDocument: Sendable {
    /// The text.
    public let bytes: [UInt8]
    /// The top-level value.
    public let root: JSONValue
    /// True if strings of the tree have U+FFFD in place of an unpaired surrogate.
    ///
    /// Two such strings may be equal although their texts differ.
    public let holdsLoneSurrogates: Bool

    /// Parses a text: RFC 8259 in UTF-8.
    ///
    /// A byte order mark at the start is dropped. An unpaired surrogate, which the grammar permits but no `String` can
    /// contain, is an error (RFC 8259 §8.2), except in a value that is passed on verbatim. Repeated names are kept.
    ///
    /// - Parameters:
    ///   - limits: The limits of nesting.
    ///   - verbatim: The names that lead from the top-level value to a value of which only the bytes are used. In that
    ///     value, an unpaired surrogate is no error and becomes U+FFFD in the tree. Empty for no such value.
    public static func parse(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), verbatim: [String] = []
    ) throws(JSONSyntaxError) -> JSONDocument {
        var parser = JSONParser(scanner: JSONScanner(bytes), maxDepth: limits.maxDepth, verbatim: verbatim)
        let root = try parser.parse()
        return JSONDocument(bytes: bytes, root: root, holdsLoneSurrogates: parser.holdsLoneSurrogates)
    }

    private init(bytes: [UInt8], root: JSONValue, holdsLoneSurrogates: Bool) {
        self.bytes = bytes
        self.root = root
        self.holdsLoneSurrogates = holdsLoneSurrogates
    }

    /// Returns the bytes of a value in the text.
    public func slice(of value: JSONValue) -> ArraySlice<UInt8> {
        let range = value.range.clamped(to: bytes.indices)
        return bytes[range]
    }

    /// Returns the line and column of a byte of the text.
    public func position(of offset: Int) -> JSONPosition {
        JSONPosition(offset: offset, in: bytes)
    }
}

/// The limits of a JSON parser.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects: `[[1]]` is 2 deep.
    public private(set) var maxDepth: Int

    /// The largest value of ``maxDepth``.
    ///
    /// Parsing uses no stack, but releasing and comparing a tree uses some for each level.
    public static let greatestDepth = 1024

    /// Creates limits.
    ///
    /// - Parameter maxDepth: The deepest nesting of arrays and objects, clamped to 0 through ``greatestDepth``. With 0
    ///   only scalars are allowed.
    public init(maxDepth: Int = 512) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
    }
}
