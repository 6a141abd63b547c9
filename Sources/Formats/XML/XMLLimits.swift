/// The limits of an XML parser.
public struct XMLLimits: Sendable, Hashable {
    /// The deepest nesting of elements; a root without children is 1 deep.
    public private(set) var maxDepth: Int
    /// The most elements, attributes and texts in total.
    public private(set) var maxNodes: Int
    /// The most attributes of one element.
    public private(set) var maxAttributes: Int
    /// The most bytes of all names, namespaces, values and texts together, in UTF-8.
    ///
    /// A namespace counts for each name in it: a single declaration of some kilobytes applies to each element below it,
    /// so that the tree, and its output, can be far larger than the document.
    public private(set) var maxTextBytes: Int

    /// The largest value of ``maxDepth``.
    ///
    /// Parsing uses no stack, but releasing, comparing and writing a tree uses some for each level.
    public static let greatestDepth = 1024

    /// Creates limits; negative values become 0.
    ///
    /// - Parameters:
    ///   - maxDepth: The deepest nesting of elements, at most ``greatestDepth``.
    ///   - maxNodes: The most elements, attributes and texts.
    ///   - maxAttributes: The most attributes of one element.
    ///   - maxTextBytes: The most bytes of all names, values and texts; 64 MiB by default.
    public init(
        maxDepth: Int = 512, maxNodes: Int = 1_000_000, maxAttributes: Int = 1024, maxTextBytes: Int = 64 << 20
    ) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
        self.maxNodes = max(maxNodes, 0)
        self.maxAttributes = max(maxAttributes, 0)
        self.maxTextBytes = max(maxTextBytes, 0)
    }
}
