/// Builds the tree. Recursion is bounded by the depth limit.
struct JSONParser {
    var scanner: JSONScanner
    let maxDepth: Int

    mutating func parse() throws(JSONSyntaxError) -> JSONValue {
        scanner.skipWhitespace()
        guard !scanner.isAtEnd else { throw scanner.error(.empty) }
        let value = try value(depth: 0)
        scanner.skipWhitespace()
        guard scanner.isAtEnd else { throw scanner.error(.trailingContent) }
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        let start = scanner.index
        let kind: JSONValue.Kind
        switch scanner.current {
        case UInt8(ascii: "{"):
            kind = .object(try object(depth: depth))
        case UInt8(ascii: "["):
            kind = .array(try array(depth: depth))
        case UInt8(ascii: "\""):
            kind = .string(try string())
        case UInt8(ascii: "t"):
            try scanner.literal("true")
            kind = .bool(true)
        case UInt8(ascii: "f"):
            try scanner.literal("false")
            kind = .bool(false)
        case UInt8(ascii: "n"):
            try scanner.literal("null")
            kind = .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try scanner.number()
            kind = .number(JSONNumber(lexeme: text(start..<scanner.index)))
        default:
            throw scanner.error(.expectedValue)
        }
        return JSONValue(kind, range: start..<scanner.index)
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        guard depth < maxDepth else { throw scanner.error(.tooDeep) }
        scanner.advance()
        scanner.skipWhitespace()
        var members: [JSONMember] = []
        guard scanner.current != UInt8(ascii: "}") else {
            scanner.advance()
            return JSONObject()
        }
        while true {
            guard scanner.current == UInt8(ascii: "\"") else { throw scanner.error(.expectedName) }
            let start = scanner.index
            let key = try string()
            let keyRange = start..<scanner.index
            scanner.skipWhitespace()
            guard scanner.current == UInt8(ascii: ":") else { throw scanner.error(.expectedColon) }
            scanner.advance()
            scanner.skipWhitespace()
            members.append(JSONMember(key, keyRange: keyRange, try value(depth: depth + 1)))
            guard try goesOn(until: UInt8(ascii: "}"), .expectedCommaOrBrace) else { return JSONObject(members) }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        guard depth < maxDepth else { throw scanner.error(.tooDeep) }
        scanner.advance()
        scanner.skipWhitespace()
        var items: [JSONValue] = []
        guard scanner.current != UInt8(ascii: "]") else {
            scanner.advance()
            return []
        }
        while true {
            items.append(try value(depth: depth + 1))
            guard try goesOn(until: UInt8(ascii: "]"), .expectedCommaOrBracket) else { return items }
        }
    }

    /// Passes the comma behind an item, or the end of the container.
    private mutating func goesOn(
        until end: UInt8, _ expected: JSONSyntaxError.Reason
    ) throws(JSONSyntaxError) -> Bool {
        scanner.skipWhitespace()
        guard scanner.current == UInt8(ascii: ",") else {
            guard scanner.current == end else { throw scanner.error(expected) }
            scanner.advance()
            return false
        }
        scanner.advance()
        scanner.skipWhitespace()
        guard scanner.current != end else { throw scanner.error(.trailingComma) }
        return true
    }

    // MARK: Strings

    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = scanner.index
        let hasEscapes = try scanner.string(checksSurrogates: true)
        let content = start + 1..<scanner.index - 1
        return hasEscapes ? unescaped(content) : text(content)
    }

    /// The scanner has passed these bytes: they are UTF-8.
    private func text(_ range: Range<Int>) -> String {
        String(decoding: scanner.bytes[range], as: UTF8.self)
    }

    /// Resolves the escapes of a string that the scanner has found well-formed.
    private func unescaped(_ range: Range<Int>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = scanner.bytes[index]
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                index += 1
                continue
            }
            let letter = scanner.bytes[index + 1]
            index += 2
            switch letter {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = codeUnit(at: index)
                index += 4
                if scalar & 0xFC00 == 0xD800 {
                    scalar = 0x10000 + ((scalar & 0x3FF) << 10 | (codeUnit(at: index + 2) & 0x3FF))
                    index += 6
                }
                result.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init())
            default: result.append(letter)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func codeUnit(at index: Int) -> UInt32 {
        scanner.bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt32(JSONScanner.hexadecimal($1) ?? 0) }
    }
}
