/// The options of a session's request serializers.
public struct RequestSerializationOptions: Sendable, Hashable {
    /// The rules for turning parameters into pairs in forms, queries and multipart bodies.
    public var parameters: ParameterEncoding
    /// The changes that may be made to JSON.
    public var json: JSONWritingOptions
    /// The limit on the rate at which multipart bodies are sent.
    ///
    /// Default: `nil`, which means no limit.
    public var throttle: BandwidthThrottle?

    /// Creates options; by default those of AFNetworking's serializers, but with unchanged JSON.
    public init(
        parameters: ParameterEncoding = ParameterEncoding(), json: JSONWritingOptions = JSONWritingOptions(),
        throttle: BandwidthThrottle? = nil
    ) {
        self.parameters = parameters
        self.json = json
        self.throttle = throttle
    }
}
