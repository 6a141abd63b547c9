public import ErrandJSON
import ErrandText

/// A writer of property lists: XML, version 1.0, in UTF-8, in the layout of Apple's own writers.
///
/// | JSON | property list |
/// | --- | --- |
/// | object | `dict`, keys in the order in which they stand |
/// | array | `array` |
/// | string | `string` |
/// | number without fraction and exponent | `integer`, in its original form |
/// | other number | `real`, in its original form |
/// | `true`, `false` | `true`, `false` |
/// | `null` | refused: property lists have none |
///
/// JSON has neither `date` nor `data`, so neither is written: a string that looks like one stays a string.
public enum PropertyListWriter {
    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: An array or an object; property lists of a single string or number are not in use.
    ///   - maxBytes: The most bytes of the property list, in which each value takes an indented line; by default no
    ///     limit.
    /// - Throws: ``PropertyListError`` for a `null`, a character that XML 1.0 (§2.2) cannot represent, such as U+0000,
    ///   a repeated name in an object, a top-level value other than an array or an object, or a property list of more
    ///   bytes. The location is the value's pointer.
    public static func xml(_ value: JSONValue, maxBytes: Int = .max) throws(PropertyListError) -> [UInt8] {
        var writer = PropertyListXMLWriter(maxBytes: maxBytes)
        return try writer.document(value)
    }
}

/// The state of writing one document; there is no recursion, so the depth uses no stack.
private struct PropertyListXMLWriter {
    private let maxBytes: Int
    private var bytes: [UInt8] = []
    /// The arrays and objects being written, outermost first.
    private var open: [Container] = []

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// The remaining parts of an array or object.
    private enum Container {
        case array(ArraySlice<JSONValue>)
        /// An object, with the name of the member being written.
        case object(ArraySlice<JSONMember>, name: String)

        /// The part of a pointer that leads to the value being written.
        var token: String {
            switch self {
            // The remaining items begin after the one being written.
            case .array(let rest): String(rest.startIndex - 1)
            case .object(_, let name): name
            }
        }
    }

    mutating func document(_ value: JSONValue) throws(PropertyListError) -> [UInt8] {
        guard value.array != nil || value.object != nil else {
            throw error("expected an array or an object, found \(value.kindDescription)")
        }
        append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">\n
            """)
        try begin(value)
        while let container = open.popLast() {
            try checkSize()
            try proceed(container)
        }
        append("</plist>\n")
        try checkSize()
        return bytes
    }

    /// Throws if the limit is exceeded, with the location of the array or object that was taken off the list.
    private func checkSize() throws(PropertyListError) {
        guard bytes.count <= maxBytes else {
            throw error("expected a property list of at most \(maxBytes) bytes, found at least \(bytes.count)")
        }
    }

    /// Writes a value of one line, or the first line of a longer value.
    private mutating func begin(_ value: JSONValue) throws(PropertyListError) {
        switch value.kind {
        case .null: throw error("a property list cannot contain null")
        case .bool(let value): line(value ? "<true/>" : "<false/>")
        case .number(let number): element(number.isInteger ? "integer" : "real", number.lexeme)
        case .string(let text): try line(text, in: "string")
        case .array([]): line("<array/>")
        case .array(let items): try begin(.array(items[...]), "<array>")
        case .object(let object) where object.members.isEmpty: line("<dict/>")
        case .object(let object):
            if let repeated = object.repeatedMembers.first {
                open.append(.object([], name: repeated.key))
                throw error("the object has a repeated name, which a dictionary cannot have")
            }
            try begin(.object(object.members[...], name: ""), "<dict>")
        }
    }

    private mutating func begin(_ container: Container, _ tag: StaticString) throws(PropertyListError) {
        guard open.count < JSONLimits.greatestDepth else { throw error("nested too deep") }
        line(tag)
        open.append(container)
    }

    /// Writes the next value of a container that was taken off the list, or its end.
    private mutating func proceed(_ container: Container) throws(PropertyListError) {
        switch container {
        case .array(var rest):
            guard let item = rest.popFirst() else { return line("</array>") }
            open.append(.array(rest))
            try begin(item)
        case .object(var rest, _):
            guard let member = rest.popFirst() else { return line("</dict>") }
            open.append(.object(rest, name: member.key))
            try line(member.key, in: "key")
            try begin(member.value)
        }
    }

    private func error(_ message: String) -> PropertyListError {
        PropertyListError(message, at: .value(JSONPointer(open.map(\.token))))
    }

    // MARK: Pieces

    private mutating func line(_ markup: StaticString) {
        indent()
        append(markup.description)
        bytes.append(0x0A)
    }

    private mutating func line(_ text: String, in name: String) throws(PropertyListError) {
        if let scalar = text.unicodeScalars.first(where: { !$0.isXMLCharacter }) {
            throw error(
                "XML cannot represent the character U+\(Hexadecimal.text(scalar.value, minimumDigits: 4, isUppercase: true))"
            )
        }
        element(name, text)
    }

    private mutating func element(_ name: String, _ content: String) {
        indent()
        append("<\(name)>")
        append(escaping: content)
        append("</\(name)>\n")
    }

    /// Indents by the number of open containers; like Apple's writers, the outermost one is not counted.
    private mutating func indent() {
        bytes.append(contentsOf: repeatElement(0x09, count: open.count))
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends text with escapes.
    ///
    /// A carriage return is escaped because readers convert a literal one to a line feed (XML 1.0 §2.11), and `>`
    /// because `]]>` is not allowed in text (§2.4).
    private mutating func append(escaping text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case 0x0D: append("&#13;")
            default: bytes.append(byte)
            }
        }
    }
}

extension JSONNumber {
    /// True if the number is written without a fraction and without an exponent.
    fileprivate var isInteger: Bool {
        lexeme.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIIDigit }
    }
}

extension Unicode.Scalar {
    /// True if XML 1.0 (§2.2) allows the character.
    fileprivate var isXMLCharacter: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
