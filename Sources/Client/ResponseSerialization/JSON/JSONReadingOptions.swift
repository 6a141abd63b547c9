/// The options for reading the JSON of a response.
public struct JSONReadingOptions: Sendable, Hashable {
    /// A Boolean value that indicates whether the outermost value may be a string, number, boolean or null.
    ///
    /// Default: `false`, only an object or array.
    public var allowsFragments: Bool
    /// The largest nesting depth of arrays and objects: `[[1]]` has depth 2.
    ///
    /// Default: 512. The JSON reader has its own limit of 1,024, which larger values do not raise.
    public var maxDepth: Int

    /// Creates options.
    public init(allowsFragments: Bool = false, maxDepth: Int = 512) {
        self.allowsFragments = allowsFragments
        self.maxDepth = maxDepth
    }
}
