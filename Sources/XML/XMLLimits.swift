/// What a reader of XML puts up with.
public struct XMLLimits: Sendable, Hashable {
    /// How deep elements may nest; the root alone is 1 deep.
    public private(set) var maxDepth: Int
    /// How many elements, attributes and pieces of text there may be altogether.
    public private(set) var maxNodes: Int
    /// How many attributes one element may have.
    public private(set) var maxAttributes: Int
    /// How many bytes, in UTF-8, all names, namespaces, values and texts may have together.
    ///
    /// A namespace counts for every name that is in it: one declaration of some kilobytes names each element below it,
    /// so the tree, and what is written of it, can be far larger than the document.
    public private(set) var maxTextBytes: Int

    /// The deepest nesting that any limit allows.
    ///
    /// Reading costs no stack, but freeing, comparing and writing a tree cost some for each level.
    public static let greatestDepth = 1024

    /// Creates limits; below 0 they become 0.
    ///
    /// - Parameters:
    ///   - maxDepth: How deep elements may nest; beyond ``greatestDepth`` it becomes that.
    ///   - maxNodes: How many elements, attributes and texts there may be.
    ///   - maxAttributes: How many attributes one element may have.
    ///   - maxTextBytes: How many bytes all names, values and texts may have; 64 MiB by default.
    public init(
        maxDepth: Int = 512, maxNodes: Int = 1_000_000, maxAttributes: Int = 1024, maxTextBytes: Int = 64 << 20
    ) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
        self.maxNodes = max(maxNodes, 0)
        self.maxAttributes = max(maxAttributes, 0)
        self.maxTextBytes = max(maxTextBytes, 0)
    }
}
