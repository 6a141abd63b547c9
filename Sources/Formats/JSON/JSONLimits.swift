/// The limits of a JSON parser.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects: `[[1]]` is 2 deep.
    public private(set) var maxDepth: Int

    /// The largest value of ``maxDepth``.
    ///
    /// Parsing uses no stack, but releasing and comparing a tree uses some for each level.
    public static let greatestDepth = 1024

    /// Creates limits.
    ///
    /// - Parameter maxDepth: The deepest nesting of arrays and objects, clamped to 0 through ``greatestDepth``. With 0
    ///   only scalars are allowed.
    public init(maxDepth: Int = 512) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
    }
}
