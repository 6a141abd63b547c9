import ErrandJSON

/// Reformats JSON text by ``JSONWritingOptions``; numbers, strings and literals are copied unchanged.
struct JSONFormatter {
    private let document: JSONDocument
    private let options: JSONWritingOptions
    private let limit: OutputLimit
    private var bytes: [UInt8] = []

    /// A slice of an array is copied as a whole, also in a debug build.
    private static let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 128)

    static func format(
        _ document: JSONDocument, _ options: JSONWritingOptions
    ) throws(RequestSerializationError) -> [UInt8] {
        var formatter = JSONFormatter(document, options)
        try formatter.append(document.root, depth: 0)
        return formatter.bytes
    }

    private init(_ document: JSONDocument, _ options: JSONWritingOptions) {
        self.document = document
        self.options = options
        limit = OutputLimit(inputBytes: document.bytes.count)
        bytes.reserveCapacity(document.bytes.count)
    }

    private mutating func append(_ value: JSONValue, depth: Int) throws(RequestSerializationError) {
        switch value.kind {
        case .null, .bool, .number:
            bytes += document.slice(of: value)
        case .string:
            append(string: document.slice(of: value))
        case .array(let elements):
            try append(elements, between: "[", and: "]", depth: depth) {
                formatter, element throws(RequestSerializationError) in
                try formatter.append(element, depth: depth + 1)
            }
        case .object(let object):
            let members = options.sortsKeys ? object.membersSortedByName : object.members
            try append(members, between: "{", and: "}", depth: depth) {
                formatter, member throws(RequestSerializationError) in
                formatter.append(string: formatter.document.bytes[member.keyRange])
                formatter.bytes += (formatter.options.prettyPrinted ? ": " : ":").utf8
                try formatter.append(member.value, depth: depth + 1)
            }
        }
    }

    /// Appends the items of a container with brackets, commas and, if pretty-printed, line breaks.
    private mutating func append<Item>(
        _ items: [Item], between opening: Unicode.Scalar, and closing: Unicode.Scalar, depth: Int,
        appendItem: (inout JSONFormatter, Item) throws(RequestSerializationError) -> Void
    ) throws(RequestSerializationError) {
        bytes.append(UInt8(ascii: opening))
        var isFirst = true
        for item in items {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            beginLine(depth: depth + 1)
            try appendItem(&self, item)
            try limit.check(bytes.count)
        }
        if !items.isEmpty { beginLine(depth: depth) }
        bytes.append(UInt8(ascii: closing))
    }

    private mutating func beginLine(depth: Int) {
        guard options.prettyPrinted else { return }
        bytes.append(UInt8(ascii: "\n"))
        var rest = 2 * depth
        while rest > 0 {
            bytes += Self.spaces.prefix(rest)
            rest -= Self.spaces.count
        }
    }

    /// Appends a string with its quotes; keeps a backslash with the character it escapes, so that `\/` stays unchanged.
    private mutating func append(string: ArraySlice<UInt8>) {
        guard options.escapesSlashes else {
            bytes += string
            return
        }
        var isEscaped = false
        for byte in string {
            if byte == UInt8(ascii: "/"), !isEscaped { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
    }
}
