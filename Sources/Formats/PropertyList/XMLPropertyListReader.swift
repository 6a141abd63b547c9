import ErrandJSON
import ErrandText
import ErrandXML

/// A parser of the XML documents of property lists, version 1.0.
///
/// There is no recursion, so the depth uses no stack.
struct XMLPropertyListReader {
    private let maxDepth: Int
    /// The arrays and dictionaries being parsed, outermost first.
    private var open: [Container] = []

    /// An array or dictionary being parsed.
    private struct Container {
        let isDictionary: Bool
        /// The elements that were not yet parsed.
        var rest: ArraySlice<XMLElement>
        /// The parsed items of an array.
        var items: [PropertyListValue] = []
        /// The parsed entries of a dictionary.
        var entries: [PropertyListEntry] = []
        /// The key of the value being parsed.
        var key = ""

        /// The part of a pointer that leads to the value being parsed.
        var token: String { isDictionary ? key : String(items.count) }

        /// The parsed value.
        var value: PropertyListValue { isDictionary ? .dictionary(entries) : .array(items) }

        mutating func append(_ value: PropertyListValue) {
            if isDictionary {
                entries.append(PropertyListEntry(key, value))
            } else {
                items.append(value)
            }
        }
    }

    init(limits: PropertyListLimits) {
        maxDepth = limits.maxDepth
    }

    /// Returns the value in the element `plist`.
    mutating func read(_ document: XMLDocument) throws(PropertyListError) -> PropertyListValue {
        guard document.root.name == "plist", document.root.namespace == nil else {
            throw error("the outermost element is not plist")
        }
        let elements = try elements(in: document.root)
        guard elements.count == 1, let element = elements.first else {
            throw error("the element plist must contain one value, found \(elements.count)")
        }
        var value = try begin(element)
        while true {
            if let complete = value {
                guard !open.isEmpty else { return complete }
                open[open.count - 1].append(complete)
            }
            value = try proceed()
        }
    }

    /// Begins the next value of the innermost container.
    ///
    /// - Returns: The value, or that of the container if it is complete; `nil` if another container was opened.
    private mutating func proceed() throws(PropertyListError) -> PropertyListValue? {
        let innermost = open.count - 1
        guard let element = open[innermost].rest.popFirst() else { return open.removeLast().value }
        guard open[innermost].isDictionary else { return try begin(element) }
        guard element.name == "key", element.namespace == nil else { throw error("expected a key") }
        open[innermost].key = try text(in: element)
        guard let content = open[innermost].rest.popFirst() else { throw error("a key has no value") }
        return try begin(content)
    }

    /// Parses a value; returns `nil` if it is an array or dictionary, which is then open.
    private mutating func begin(_ element: XMLElement) throws(PropertyListError) -> PropertyListValue? {
        guard element.namespace == nil, element.name == "array" || element.name == "dict" else {
            return try scalar(element)
        }
        guard open.count < maxDepth else {
            throw error("arrays and dictionaries are nested more than \(maxDepth) deep")
        }
        open.append(Container(isDictionary: element.name == "dict", rest: try elements(in: element)[...]))
        return nil
    }

    private func scalar(_ element: XMLElement) throws(PropertyListError) -> PropertyListValue {
        switch element.namespace == nil ? element.name : "" {
        case "string": return .string(try text(in: element))
        case "integer": return .integer(try integer(in: element))
        case "real":
            guard let real = PropertyListReal(try text(in: element).trimmed) else { throw error("malformed real") }
            return .real(real)
        case "true": return .boolean(try literal(true, element))
        case "false": return .boolean(try literal(false, element))
        case "date":
            guard let date = PropertyListDate(try text(in: element).trimmed) else { throw error("malformed date") }
            return .date(date)
        case "data":
            guard let data = Base64.decode(try text(in: element)) else { throw error("malformed Base64") }
            return .data(data)
        default: throw error("unknown element in a property list")
        }
    }

    // MARK: Content

    private func integer(in element: XMLElement) throws(PropertyListError) -> Int128 {
        let text = try text(in: element).trimmed
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let significant = isHexadecimal ? digits.dropFirst(2) : digits
        // A second sign is rejected, because the conversion would accept it.
        guard let first = significant.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+"),
            let integer = Int128((isNegative ? "-" : "") + significant, radix: isHexadecimal ? 16 : 10)
        else { throw error("malformed integer, or one of more than 128 bits") }
        return integer
    }

    private func literal(_ value: Bool, _ element: XMLElement) throws(PropertyListError) -> Bool {
        guard element.children.isEmpty else { throw error("the element \(value) must be empty") }
        return value
    }

    /// Returns the text in an element.
    private func text(in element: XMLElement) throws(PropertyListError) -> String {
        switch element.children.first {
        case nil: return ""
        // Adjacent texts are merged, so that any other child would be an element.
        case .text(let text) where element.children.count == 1: return text
        default: throw error("an element inside of text")
        }
    }

    /// Returns the elements in an element, with only whitespace between them.
    private func elements(in element: XMLElement) throws(PropertyListError) -> [XMLElement] {
        var elements: [XMLElement] = []
        for child in element.children {
            switch child {
            case .element(let element): elements.append(element)
            case .text(let text): guard text.trimmed.isEmpty else { throw error("text between elements") }
            }
        }
        return elements
    }

    private func error(_ message: String) -> PropertyListError {
        PropertyListError(message, at: .value(JSONPointer(open.map(\.token))))
    }
}

extension String {
    /// The text without surrounding XML whitespace (XML 1.0 §2.3).
    fileprivate var trimmed: Substring {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        guard let first = utf8.firstIndex(where: { !isSpace($0) }), let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return self[first..<utf8.index(after: last)]
    }
}
