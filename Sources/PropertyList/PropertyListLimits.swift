public import XML

/// What a reader of property lists puts up with.
public struct PropertyListLimits: Sendable, Hashable {
    /// How deep arrays and dictionaries may nest.
    public private(set) var maxDepth: Int
    /// How many values and keys there may be.
    ///
    /// In the XML format, every element, every attribute and every text counts, white space between elements included.
    public private(set) var maxNodes: Int
    /// How many bytes all texts and data may have together.
    ///
    /// A binary property list stores what is equal once: here, as in what is written of it, each occurrence counts.
    public private(set) var maxContentBytes: Int

    /// The deepest nesting that any limit allows: in XML, an element stands around all, and one in the innermost array.
    public static let greatestDepth = XMLLimits.greatestDepth - 2

    /// Creates limits; below 0 they become 0.
    ///
    /// - Parameters:
    ///   - maxDepth: How deep arrays and dictionaries may nest; beyond ``greatestDepth`` it becomes that.
    ///   - maxNodes: How many values and keys there may be.
    ///   - maxContentBytes: How many bytes all texts and data may have; 64 MiB by default.
    public init(maxDepth: Int = 512, maxNodes: Int = 1_000_000, maxContentBytes: Int = 64 << 20) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
        self.maxNodes = max(maxNodes, 0)
        self.maxContentBytes = max(maxContentBytes, 0)
    }

    /// The limits of the XML that a property list may be written in.
    public var xml: XMLLimits {
        XMLLimits(maxDepth: maxDepth + 2, maxNodes: maxNodes, maxTextBytes: maxContentBytes)
    }
}
