/// How the JSON of a response is read.
public struct JSONReadingOptions: Sendable, Hashable {
    /// Whether the outermost value may be a string, a number, a boolean or null.
    ///
    /// Default: no, an object or array.
    public var allowsFragments: Bool
    /// How deep arrays and objects may nest: `[[1]]` is 2 deep.
    ///
    /// Default: 512. The JSON reader has a limit of its own, 1024, which larger values do not lift.
    public var maxDepth: Int

    /// Creates options.
    public init(allowsFragments: Bool = false, maxDepth: Int = 512) {
        self.allowsFragments = allowsFragments
        self.maxDepth = maxDepth
    }
}
