/// Checks JSON text without making anything of it: for documents that are only passed on.
///
/// It accepts what the grammar of RFC 8259 accepts, so also half surrogate pairs as escapes and repeated names.
public enum JSONValidator {
    /// What a valid text is.
    public struct Summary: Sendable, Hashable {
        /// Whether the value at the top is an array or an object, and not just a string, a number or a literal.
        public var isContainer: Bool
        /// The bytes of the value, without white space around it and without a byte order mark.
        public var range: Range<Int>
    }

    /// Checks a text.
    public static func validate(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) -> Summary {
        var walk = JSONWalk(scanner: JSONScanner(bytes), maxDepth: limits.maxDepth)
        return try walk.run()
    }
}

/// One walk over a text: no recursion, the open brackets are a list.
struct JSONWalk {
    var scanner: JSONScanner
    let maxDepth: Int
    /// For each open bracket, whether it is an object's.
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

    /// Passes the value that begins here, with all that is in it.
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

    /// Passes a scalar or an empty container, or opens one and stops before its first value.
    ///
    /// - Returns: Whether a value comes next.
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

    /// Behind a value: goes on to the next one of the container, or closes containers that end here.
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
