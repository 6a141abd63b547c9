/// One element of an XML document.
public struct XMLElement: Sendable, Hashable {
    /// Its name without prefix: the local part (Namespaces in XML §3).
    public var name: String
    /// The name of the namespace that it is in, if any: what its prefix or the default namespace stands for.
    public var namespace: String?
    /// Its attributes in the order in which they stand, without the declarations of namespaces.
    public var attributes: [XMLAttribute]
    /// The elements and texts in it, in the order in which they stand.
    public var children: [XMLNode]

    /// Creates an element.
    public init(
        _ name: String, namespace: String? = nil, attributes: [XMLAttribute] = [], children: [XMLNode] = []
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
    }
}

/// What an element holds.
public enum XMLNode: Sendable, Hashable {
    /// Text, references resolved; what adjoins, be it written as a CDATA section or with a comment between, is one.
    case text(String)
    /// An element.
    case element(XMLElement)
}

/// One attribute of an element.
public struct XMLAttribute: Sendable, Hashable {
    /// Its name without prefix.
    public var name: String
    /// The name of the namespace that its prefix stands for; without a prefix it is in none (Namespaces in XML §6.2).
    public var namespace: String?
    /// Its value, references resolved and white space normalised (XML 1.0 §3.3.3).
    public var value: String

    /// Creates an attribute.
    public init(_ name: String, namespace: String? = nil, value: String) {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}
