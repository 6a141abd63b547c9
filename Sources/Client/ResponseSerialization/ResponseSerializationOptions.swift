/// The options of a session's response serializers.
public struct ResponseSerializationOptions: Sendable, Hashable {
    /// A Boolean value that indicates whether nulls are removed from JSON: members and array items, at every depth.
    ///
    /// Containers stay even if they become empty. Default: `false`.
    public var removesNulls: Bool
    /// The options for reading JSON.
    public var json: JSONReadingOptions

    /// Creates options.
    public init(removesNulls: Bool = false, json: JSONReadingOptions = JSONReadingOptions()) {
        self.removesNulls = removesNulls
        self.json = json
    }
}
