/// An element of an XML document.
public struct XMLElement: Sendable, Hashable {
    /// The name without prefix: the local part (Namespaces in XML §3).
    public var name: String
    /// The name of the namespace, given by the prefix or the default namespace, if any.
    public var namespace: String?
    /// The attributes in their order, without namespace declarations.
    public var attributes: [XMLAttribute]
    /// The child elements and texts in their order.
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

/// A child of an element.
public enum XMLNode: Sendable, Hashable {
    /// Text with references resolved; adjacent texts are merged, across CDATA sections and comments.
    case text(String)
    /// An element.
    case element(XMLElement)
}

/// An attribute of an element.
public struct XMLAttribute: Sendable, Hashable {
    /// The name without prefix.
    public var name: String
    /// The name of the prefix's namespace; an attribute without a prefix is in none (Namespaces in XML §6.2).
    public var namespace: String?
    /// The value, with references resolved and whitespace normalized (XML 1.0 §3.3.3).
    public var value: String

    /// Creates an attribute.
    public init(_ name: String, namespace: String? = nil, value: String) {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}
