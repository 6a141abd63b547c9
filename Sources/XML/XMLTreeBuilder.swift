/// Makes a tree of what a parser reports, within limits.
///
/// It has no recursion: the open elements are a list. After the first fault it ignores what comes.
struct XMLTreeBuilder {
    /// The outermost element, once it is closed.
    private(set) var root: XMLElement?
    /// The first fault.
    private(set) var failure: (reason: XMLError.Reason, message: String)?
    /// Whether the document has a DTD.
    var seesDoctype = false

    private let limits: XMLLimits
    /// The elements that are open, outermost first.
    private var unclosed: [XMLElement] = []
    /// The text since the last tag.
    private var text: [UInt8] = []
    private var nodes = 0
    private var textBytes = 0
    private var markup = MarkupScanner()

    init(limits: XMLLimits) {
        self.limits = limits
    }

    /// Notes a fault, if it is the first.
    mutating func fail(_ reason: XMLError.Reason, _ message: String) {
        if failure == nil { failure = (reason, message) }
    }

    /// Notes that a reference cannot be resolved.
    mutating func failForUndeclaredEntity() {
        fail(.malformed, "undefined entity")
    }

    // MARK: Content

    /// Opens an element.
    ///
    /// - Parameters:
    ///   - name: Its namespace and its local name as expat joins them.
    ///   - attributes: Names and values by turns, `nil` behind the last.
    mutating func start(
        _ name: UnsafePointer<CChar>, attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard failure == nil else { return }
        closeText()
        guard unclosed.count < limits.maxDepth else {
            return fail(.limit, "elements are nested more than \(limits.maxDepth) deep")
        }
        count(nodes: 1)
        let name = split(name, sharing: unclosed.last?.namespace)
        var element = XMLElement(name.local, namespace: name.namespace)
        var next = attributes
        while failure == nil, let attribute = next, let name = attribute[0], let value = attribute[1] {
            guard element.attributes.count < limits.maxAttributes else {
                return fail(.limit, "an element has more than \(limits.maxAttributes) attributes")
            }
            count(nodes: 1)
            let split = split(name, sharing: element.attributes.last?.namespace)
            let text = String(cString: value)
            count(bytes: text.utf8.count)
            element.attributes.append(XMLAttribute(split.local, namespace: split.namespace, value: text))
            next = attribute + 2
        }
        unclosed.append(element)
    }

    /// Closes the innermost element.
    mutating func end() {
        guard failure == nil else { return }
        closeText()
        guard failure == nil, let element = unclosed.popLast() else { return }
        if unclosed.isEmpty {
            root = element
        } else {
            unclosed[unclosed.count - 1].children.append(.element(element))
        }
    }

    /// Adds a piece of text, in UTF-8.
    mutating func append(_ piece: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        count(bytes: piece.count)
        text.append(contentsOf: piece)
    }

    private mutating func closeText() {
        guard !text.isEmpty, !unclosed.isEmpty else { return }
        count(nodes: 1)
        unclosed[unclosed.count - 1].children.append(.text(String(decoding: text, as: UTF8.self)))
        text.removeAll(keepingCapacity: true)
    }

    /// Takes a name apart; it is counted whole.
    ///
    /// - Parameter known: A namespace that it is likely in: most elements are in that of the element around them, which
    ///   is then kept in memory once.
    private mutating func split(
        _ name: UnsafePointer<CChar>, sharing known: String?
    ) -> (local: String, namespace: String?) {
        var length = 0
        var separator: Int?
        while name[length] != 0 {
            if name[length] == ExpatParser.separator { separator = length }
            length += 1
        }
        count(bytes: length)
        let bytes = UnsafeRawBufferPointer(start: name, count: length)
        guard let separator else { return (String(decoding: bytes, as: UTF8.self), nil) }
        let namespace = bytes.prefix(separator)
        let local = String(decoding: bytes.dropFirst(separator + 1), as: UTF8.self)
        if let known, known.utf8.elementsEqual(namespace) { return (local, known) }
        return (local, String(decoding: namespace, as: UTF8.self))
    }

    private mutating func count(nodes count: Int) {
        nodes += count
        if nodes > limits.maxNodes { fail(.limit, "more than \(limits.maxNodes) elements, attributes and texts") }
    }

    private mutating func count(bytes count: Int) {
        textBytes += count
        if textBytes > limits.maxTextBytes { fail(.limit, "more than \(limits.maxTextBytes) bytes of names and text") }
    }

    // MARK: Markup

    /// Begins to look at the markup of a start tag.
    mutating func beginMarkup() {
        markup = MarkupScanner(isActive: true)
    }

    /// Looks for references to entities that are not the five predefined ones.
    ///
    /// - Parameter piece: A piece of a tag as it is written, in UTF-8; outside of tags it is ignored.
    mutating func scanMarkup(_ piece: UnsafeRawBufferPointer) {
        for byte in piece where markup.finishesUndeclaredReference(byte) {
            return failForUndeclaredEntity()
        }
    }

    /// Ends it.
    mutating func endMarkup() {
        markup = MarkupScanner()
    }
}

/// Finds references to entities in a tag, byte by byte: a well-formed one has `&` nowhere else (XML 1.0 §2.3).
private struct MarkupScanner {
    /// Whether a tag is being looked at.
    var isActive = false
    /// The name so far, behind a `&`.
    private var name: [UInt8]?

    init(isActive: Bool = false) {
        self.isActive = isActive
    }

    /// Takes the next byte; tells whether it is the end of a reference to an entity that XML itself does not declare.
    mutating func finishesUndeclaredReference(_ byte: UInt8) -> Bool {
        guard isActive else { return false }
        guard let known = name else {
            if byte == UInt8(ascii: "&") { name = [] }
            return false
        }
        guard byte == UInt8(ascii: ";") else {
            // Longer than any name that matters, it need not grow.
            if known.count < Self.longestName { name?.append(byte) }
            return false
        }
        name = nil
        return known.first != UInt8(ascii: "#") && !Self.predefined.contains(known)
    }

    private static let predefined = ["amp", "lt", "gt", "quot", "apos"].map { Array($0.utf8) }
    /// One byte more than the longest name that is predefined.
    private static let longestName = 5
}
