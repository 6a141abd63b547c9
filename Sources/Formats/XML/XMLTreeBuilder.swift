/// A builder of the tree from the parser's events, within limits.
///
/// It has no recursion: the open elements are a list. After the first fault it ignores further events.
struct XMLTreeBuilder {
    /// The root element, once it is closed.
    private(set) var root: XMLElement?
    /// The first fault.
    private(set) var failure: (reason: XMLError.Reason, message: String)?
    /// True if the document has a DTD.
    var seesDoctype = false

    private let limits: XMLLimits
    /// The open elements, outermost first.
    private var unclosed: [XMLElement] = []
    /// The text since the last tag.
    private var text: [UInt8] = []
    private var nodes = 0
    private var textBytes = 0
    private var markup = MarkupScanner()

    init(limits: XMLLimits) {
        self.limits = limits
    }

    /// Records a fault if it is the first.
    mutating func fail(_ reason: XMLError.Reason, _ message: String) {
        if failure == nil { failure = (reason, message) }
    }

    /// Records that a reference cannot be resolved.
    mutating func failForUndeclaredEntity() {
        fail(.malformed, "undefined entity")
    }

    // MARK: Content

    /// Opens an element.
    ///
    /// - Parameters:
    ///   - name: The namespace and the local name as joined by expat.
    ///   - attributes: Alternating names and values, terminated by `nil`.
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

    /// Appends a piece of text, in UTF-8.
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

    /// Splits a name; it is counted as a whole.
    ///
    /// - Parameter known: The expected namespace. Most elements are in the namespace of their parent, which is then
    ///   stored only once.
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

    /// Starts to inspect the markup of a start tag.
    mutating func beginMarkup() {
        markup = MarkupScanner(isActive: true)
    }

    /// Searches for references to entities other than the five predefined ones.
    ///
    /// - Parameter piece: A piece of a tag's markup, in UTF-8; it is ignored outside tags.
    mutating func scanMarkup(_ piece: UnsafeRawBufferPointer) {
        for byte in piece where markup.finishesUndeclaredReference(byte) {
            return failForUndeclaredEntity()
        }
    }

    /// Ends the inspection.
    mutating func endMarkup() {
        markup = MarkupScanner()
    }
}

/// A scanner that finds entity references in a tag, byte by byte: a well-formed tag has `&` only there (XML 1.0 §2.3).
private struct MarkupScanner {
    /// True while a tag is inspected.
    var isActive = false
    /// The name so far, after a `&`.
    private var name: [UInt8]?

    init(isActive: Bool = false) {
        self.isActive = isActive
    }

    /// Scans the next byte; returns true at the end of a reference to an entity that XML does not predefine.
    mutating func finishesUndeclaredReference(_ byte: UInt8) -> Bool {
        guard isActive else { return false }
        guard let known = name else {
            if byte == UInt8(ascii: "&") { name = [] }
            return false
        }
        guard byte == UInt8(ascii: ";") else {
            // A name that is longer than all predefined ones need not be stored completely.
            if known.count < Self.longestName { name?.append(byte) }
            return false
        }
        name = nil
        return known.first != UInt8(ascii: "#") && !Self.predefined.contains(known)
    }

    private static let predefined = ["amp", "lt", "gt", "quot", "apos"].map { Array($0.utf8) }
    /// The limit for stored names: one byte more than the longest predefined name.
    private static let longestName = 5
}
