/// A validator of JSON text that is only passed on.
///
/// It accepts the grammar of RFC 8259, which includes escaped unpaired surrogates and repeated names.
public enum JSONValidator {
    /// The properties of a valid text.
    public struct Summary: Sendable, Hashable {
        /// A Boolean value that indicates whether the top-level value is an array or an object.
        public var isContainer: Bool
        /// The bytes of the value, without surrounding whitespace and a byte order mark.
        public var range: Range<Int>
    }

    /// Validates a text.
    public static func validate(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) -> Summary {
        var visitor = JSONVisitor(scanner: JSONScanner(bytes), maxDepth: limits.maxDepth)
        return try visitor.run()
    }
}

/// A traversal of a text without recursion: the open brackets are a list.
struct JSONVisitor {
    var scanner: JSONScanner
    let maxDepth: Int
    /// The open brackets; true for an object, false for an array.
    var open: [Bool] = []

    mutating func run() throws(JSONSyntaxError) -> JSONValidator.Summary {
        scanner.skipWhitespace()
        guard !scanner.isAtEnd else { throw scanner.error(.empty) }
        let isContainer = scanner.current == UInt8(ascii: "{") || scanner.current == UInt8(ascii: "[")
        let range = try value()
        scanner.skipWhitespace()
        guard scanner.isAtEnd else { throw scanner.error(.trailingContent) }
        return JSONValidator.Summary(isContainer: isContainer, range: range)
    }

    /// Scans the value at the current position, with all nested values.
    ///
    /// - Returns: Its bytes.
    mutating func value() throws(JSONSyntaxError) -> Range<Int> {
        let start = scanner.index
        repeat {
            if try beginValue() { continue }
            try endValue()
        } while !open.isEmpty
        return start..<scanner.index
    }

    /// Scans a scalar or an empty container, or opens a container and stops before its first value.
    ///
    /// - Returns: True if a value is next.
    private mutating func beginValue() throws(JSONSyntaxError) -> Bool {
        switch scanner.current {
        case UInt8(ascii: "{"): return try beginContainer(isObject: true, end: UInt8(ascii: "}"))
        case UInt8(ascii: "["): return try beginContainer(isObject: false, end: UInt8(ascii: "]"))
        case UInt8(ascii: "\""): _ = try scanner.string(checksSurrogates: false)
        case UInt8(ascii: "t"): try scanner.literal("true")
        case UInt8(ascii: "f"): try scanner.literal("false")
        case UInt8(ascii: "n"): try scanner.literal("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanner.number()
        default: throw scanner.error(.expectedValue)
        }
        return false
    }

    private mutating func beginContainer(isObject: Bool, end: UInt8) throws(JSONSyntaxError) -> Bool {
        guard open.count < maxDepth else { throw scanner.error(.tooDeep) }
        scanner.advance()
        scanner.skipWhitespace()
        if scanner.current == end {
            scanner.advance()
            return false
        }
        open.append(isObject)
        if isObject { try name() }
        return true
    }

    private mutating func name() throws(JSONSyntaxError) {
        guard scanner.current == UInt8(ascii: "\"") else { throw scanner.error(.expectedName) }
        _ = try scanner.string(checksSurrogates: false)
        scanner.skipWhitespace()
        guard scanner.current == UInt8(ascii: ":") else { throw scanner.error(.expectedColon) }
        scanner.advance()
        scanner.skipWhitespace()
    }

    /// Continues after a value: moves to the next one of the container, or closes the containers that end here.
    private mutating func endValue() throws(JSONSyntaxError) {
        while let isObject = open.last {
            scanner.skipWhitespace()
            let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            if scanner.current == UInt8(ascii: ",") {
                scanner.advance()
                scanner.skipWhitespace()
                guard scanner.current != end else { throw scanner.error(.trailingComma) }
                if isObject { try name() }
                return
            }
            guard scanner.current == end else {
                throw scanner.error(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket)
            }
            scanner.advance()
            open.removeLast()
        }
    }
}
