import ErrandText

/// A parser that builds the tree of values.
///
/// The open arrays and objects are a list, not nested calls: no text can exhaust the stack of the parsing thread.
struct JSONParser {
    private var scanner: JSONScanner
    private let maxDepth: Int
    /// The names that lead from the top-level value to the value that may contain unpaired surrogates; empty for none.
    private let verbatimPlace: [String]
    /// True if the current position lies in that value.
    private var isVerbatim = false
    /// True if a string with an unpaired surrogate was read.
    private(set) var holdsLoneSurrogates = false
    /// The open containers, the innermost last.
    private var open: [OpenContainer] = []

    init(scanner: JSONScanner, maxDepth: Int, verbatim verbatimPlace: [String]) {
        self.scanner = scanner
        self.maxDepth = maxDepth
        self.verbatimPlace = verbatimPlace
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

    /// Parses a scalar or an empty container; returns `nil` if a container was opened and its first value is next.
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

    /// Skips the opening bracket, and the closing one if it follows; returns true if a first value must follow.
    private mutating func begin(isObject: Bool) throws(JSONSyntaxError) -> Bool {
        guard open.count < maxDepth else { throw scanner.error(.tooDeep) }
        var container = OpenContainer(start: scanner.index, isObject: isObject)
        scanner.advance()
        scanner.skipWhitespace()
        guard scanner.current != container.end else {
            scanner.advance()
            return false
        }
        if open.isEmpty { container.reserveMembers() }
        open.append(container)
        if isObject { try name() }
        return true
    }

    /// Skips the separator after a value in the innermost container; returns true after a comma, and false at the end.
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

    /// Parses a member's name and its colon.
    private mutating func name() throws(JSONSyntaxError) {
        guard scanner.current == UInt8(ascii: "\"") else { throw scanner.error(.expectedName) }
        let start = scanner.index
        if open.count <= verbatimPlace.count { isVerbatim = false }
        open[open.count - 1].key = try string()
        open[open.count - 1].keyRange = start..<scanner.index
        if open.count == verbatimPlace.count { isVerbatim = isAtVerbatimPlace }
        scanner.skipWhitespace()
        guard scanner.current == UInt8(ascii: ":") else { throw scanner.error(.expectedColon) }
        scanner.advance()
        scanner.skipWhitespace()
    }

    /// True if the names of the open objects are those of `verbatimPlace`.
    private var isAtVerbatimPlace: Bool {
        zip(open, verbatimPlace).allSatisfy { $0.isObject && $0.key.utf8.elementsEqual($1.utf8) }
    }

    // MARK: Strings

    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = scanner.index
        let hasEscapes = try scanner.string(checksSurrogates: !isVerbatim)
        let content = start + 1..<scanner.index - 1
        return hasEscapes ? unescaped(content) : text(content)
    }

    /// Returns the text of bytes that the scanner has validated as UTF-8.
    private func text(_ range: Range<Int>) -> String {
        String(decoding: scanner.bytes[range], as: UTF8.self)
    }

    /// Resolves the escapes of a string that the scanner has validated; an unpaired surrogate becomes U+FFFD.
    private mutating func unescaped(_ range: Range<Int>) -> String {
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
                if scalar & 0xFC00 == 0xD800, let low = lowSurrogate(at: index, before: range.upperBound) {
                    scalar = 0x10000 + ((scalar & 0x3FF) << 10 | low & 0x3FF)
                    index += 6
                }
                let character = Unicode.Scalar(scalar)
                if character == nil { holdsLoneSurrogates = true }
                result.append(contentsOf: UTF8.encode(character ?? "\u{FFFD}") ?? .init())
            default: result.append(letter)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The second half of a surrogate pair, if its escape stands here.
    private func lowSurrogate(at index: Int, before end: Int) -> UInt32? {
        guard index + 6 <= end, scanner.bytes[index] == UInt8(ascii: "\\"),
            scanner.bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        let unit = codeUnit(at: index + 2)
        return unit & 0xFC00 == 0xDC00 ? unit : nil
    }

    private func codeUnit(at index: Int) -> UInt32 {
        scanner.bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt32(Hexadecimal.value(of: $1) ?? 0) }
    }
}

/// An array or an object whose end was not reached.
private struct OpenContainer {
    let start: Int
    let isObject: Bool
    /// The name of the member whose value is next; unused in an array.
    var key = ""
    var keyRange = 0..<0
    private var items: [JSONValue] = []
    private var members: [JSONMember] = []

    init(start: Int, isObject: Bool) {
        self.start = start
        self.isObject = isObject
    }

    /// Makes room for the members of most documents, for the outermost object only: a document may have many others.
    mutating func reserveMembers() {
        if isObject { members.reserveCapacity(8) }
    }

    /// The closing bracket.
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
