/// How the request serializers of a session write.
public struct RequestSerializationOptions: Sendable, Hashable {
    /// How parameters become pairs, in forms, queries and multipart bodies.
    public var parameters: ParameterEncoding
    /// What may change in JSON.
    public var json: JSONWritingOptions
    /// How slowly multipart bodies are sent.
    ///
    /// Default: `nil`, as fast as the connection takes them.
    public var throttle: BandwidthThrottle?

    /// Creates options; by default those of AFNetworking's serializers, but with JSON as it was given.
    public init(
        parameters: ParameterEncoding = ParameterEncoding(), json: JSONWritingOptions = JSONWritingOptions(),
        throttle: BandwidthThrottle? = nil
    ) {
        self.parameters = parameters
        self.json = json
        self.throttle = throttle
    }
}
