/// How a session's response serializers read.
public struct ResponseSerializationOptions: Sendable, Hashable {
    /// Whether JSON loses what is null: members of objects and items of arrays, at every depth.
    ///
    /// What holds them stays, even when nothing is left in it. Default: no.
    public var removesNulls: Bool
    /// How JSON is read.
    public var json: JSONReadingOptions

    /// Creates options.
    public init(removesNulls: Bool = false, json: JSONReadingOptions = JSONReadingOptions()) {
        self.removesNulls = removesNulls
        self.json = json
    }
}
