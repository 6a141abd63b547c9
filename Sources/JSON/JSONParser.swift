/// Builds the tree.
///
/// The open arrays and objects are a list, not calls within calls: no text can exhaust the stack of the thread that
/// reads it.
struct JSONParser {
    private var scanner: JSONScanner
    private let maxDepth: Int
    /// The containers around this place, the innermost last.
    private var open: [OpenContainer] = []

    init(scanner: JSONScanner, maxDepth: Int) {
        self.scanner = scanner
        self.maxDepth = maxDepth
        open.reserveCapacity(8)
    }

    mutating func parse() throws(JSONSyntaxError) -> JSONValue {
        scanner.skipWhitespace()
        guard !scanner.isAtEnd else { throw scanner.error(.empty) }
        let root = try tree()
        scanner.skipWhitespace()
        guard scanner.isAtEnd else { throw scanner.error(.trailingContent) }
        return root
    }

    private mutating func tree() throws(JSONSyntaxError) -> JSONValue {
        while true {
            guard var value = try beginValue() else { continue }
            while !open.isEmpty {
                open[open.count - 1].append(value)
                if try goesOn() { break }
                value = open.removeLast().value(endingAt: scanner.index)
            }
            if open.isEmpty { return value }
        }
    }

    /// Reads a scalar or an empty container; `nil` when a container has been opened and its first value comes next.
    private mutating func beginValue() throws(JSONSyntaxError) -> JSONValue? {
        let start = scanner.index
        let kind: JSONValue.Kind
        switch scanner.current {
        case UInt8(ascii: "{"):
            guard try !begin(isObject: true) else { return nil }
            kind = .object(JSONObject())
        case UInt8(ascii: "["):
            guard try !begin(isObject: false) else { return nil }
            kind = .array([])
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

    // MARK: Containers

    /// Passes the opening bracket, and the closing one if it follows; tells whether a first value must come.
    private mutating func begin(isObject: Bool) throws(JSONSyntaxError) -> Bool {
        guard open.count < maxDepth else { throw scanner.error(.tooDeep) }
        let container = OpenContainer(start: scanner.index, isObject: isObject)
        scanner.advance()
        scanner.skipWhitespace()
        guard scanner.current != container.end else {
            scanner.advance()
            return false
        }
        open.append(container)
        if isObject { try name() }
        return true
    }

    /// Passes what follows a value in the innermost container: a comma up to the next value, or the end of it.
    private mutating func goesOn() throws(JSONSyntaxError) -> Bool {
        let (isObject, end) = (open[open.count - 1].isObject, open[open.count - 1].end)
        scanner.skipWhitespace()
        guard scanner.current == UInt8(ascii: ",") else {
            guard scanner.current == end else {
                throw scanner.error(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket)
            }
            scanner.advance()
            return false
        }
        scanner.advance()
        scanner.skipWhitespace()
        guard scanner.current != end else { throw scanner.error(.trailingComma) }
        if isObject { try name() }
        return true
    }

    /// Reads a member's name and its colon, up to its value.
    private mutating func name() throws(JSONSyntaxError) {
        guard scanner.current == UInt8(ascii: "\"") else { throw scanner.error(.expectedName) }
        let start = scanner.index
        open[open.count - 1].key = try string()
        open[open.count - 1].keyRange = start..<scanner.index
        scanner.skipWhitespace()
        guard scanner.current == UInt8(ascii: ":") else { throw scanner.error(.expectedColon) }
        scanner.advance()
        scanner.skipWhitespace()
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

/// An array or an object whose end has not been reached.
private struct OpenContainer {
    let start: Int
    let isObject: Bool
    /// The name of the member whose value comes next; of no meaning in an array.
    var key = ""
    var keyRange = 0..<0
    private var items: [JSONValue] = []
    private var members: [JSONMember] = []

    init(start: Int, isObject: Bool) {
        self.start = start
        self.isObject = isObject
    }

    /// The bracket that closes it.
    var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    mutating func append(_ value: JSONValue) {
        if isObject {
            members.append(JSONMember(key, keyRange: keyRange, value))
        } else {
            items.append(value)
        }
    }

    func value(endingAt end: Int) -> JSONValue {
        JSONValue(isObject ? .object(JSONObject(members)) : .array(items), range: start..<end)
    }
}
