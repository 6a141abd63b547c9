/// What a reader of JSON puts up with.
public struct JSONLimits: Sendable, Hashable {
    /// How deep arrays and objects may nest: `[[1]]` is 2 deep.
    public private(set) var maxDepth: Int

    /// The deepest nesting that any limit allows.
    ///
    /// Reading costs no stack, but freeing and comparing a tree cost some for each level.
    public static let greatestDepth = 1024

    /// Creates limits.
    ///
    /// - Parameter maxDepth: How deep arrays and objects may nest. Below 0 it becomes 0, which leaves only scalars;
    ///   beyond ``greatestDepth`` it becomes that.
    public init(maxDepth: Int = 512) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
    }
}
