public import ErrandHTTPGrammar

/// Leaves content of any type as bytes.
public struct RawResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `nil`: every content type is acceptable.
    public var acceptableContentTypes: [MediaRange]? { nil }

    /// Returns `false`.
    public func readsContent(of contentType: MediaType?) -> Bool { false }

    /// Returns no object: the content remains available as the response's body.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        SerializedResponse(.none, by: .raw)
    }
}

extension ResponseSerializer where Self == RawResponseSerializer {
    /// Returns a serializer that leaves content as bytes.
    public static var raw: Self { RawResponseSerializer() }
}
