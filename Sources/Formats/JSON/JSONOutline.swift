/// The parts of one array or object as byte ranges of its text, validated but not parsed.
///
/// It is for documents of many parts that are parsed one after the other, so that only the tree of one part is in
/// memory.
public struct JSONOutline: Sendable, Hashable {
    /// A Boolean value that indicates whether the parts are members of an object rather than items of an array.
    public var isObject: Bool
    /// The parts in their order, at most as many as requested.
    public var parts: [Part]
    /// The total number of parts.
    public var count: Int

    /// A member of an object, or an item of an array.
    public struct Part: Sendable, Hashable {
        /// The bytes of a member's name, quotes included; `nil` for an item.
        public var name: Range<Int>?
        /// The bytes of the value.
        public var value: Range<Int>
    }

    /// Creates the outline of a text that is one array or object.
    ///
    /// - Parameters:
    ///   - limits: The deepest nesting, the outermost level included.
    ///   - maxParts: The most parts to return; the others are validated and counted.
    /// - Returns: `nil` if the text is a scalar.
    public static func of(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), maxParts: Int
    ) throws(JSONSyntaxError) -> JSONOutline? {
        let summary = try JSONValidator.validate(bytes, limits: limits)
        return try of(summary.range, in: bytes, maxParts: maxParts)
    }

    /// Creates the outline of a value within a text that was validated before.
    ///
    /// - Parameters:
    ///   - range: The bytes of the value, from an outline or a tree.
    ///   - maxParts: The most parts to return; the others are counted.
    /// - Returns: `nil` if the value is a scalar.
    public static func of(
        _ range: Range<Int>, in bytes: [UInt8], maxParts: Int
    ) throws(JSONSyntaxError) -> JSONOutline? {
        var scanner = JSONScanner(bytes, at: range.lowerBound)
        let isObject = scanner.current == UInt8(ascii: "{")
        guard isObject || scanner.current == UInt8(ascii: "[") else { return nil }
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        var outline = JSONOutline(isObject: isObject, parts: [], count: 0)
        scanner.advance()
        scanner.skipWhitespace()
        while !scanner.isAtEnd, scanner.current != end {
            let name = isObject ? try Self.name(&scanner) : nil
            var visitor = JSONVisitor(scanner: scanner, maxDepth: .max)
            let value = try visitor.value()
            scanner = visitor.scanner
            outline.count += 1
            if outline.parts.count < maxParts { outline.parts.append(Part(name: name, value: value)) }
            scanner.skipWhitespace()
            if scanner.current == UInt8(ascii: ",") {
                scanner.advance()
                scanner.skipWhitespace()
            }
        }
        return outline
    }

    private static func name(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Range<Int> {
        let start = scanner.index
        _ = try scanner.string(checksSurrogates: false)
        let end = scanner.index
        scanner.skipWhitespace()
        // Skips the colon, which was checked before.
        scanner.advance()
        scanner.skipWhitespace()
        return start..<end
    }
}
