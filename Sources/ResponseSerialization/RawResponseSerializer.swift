public import HTTPGrammar

/// Bytes that stand for themselves, of any content type.
public struct RawResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// Any.
    public var acceptableContentTypes: [MediaRange]? { nil }

    /// It does not.
    public func readsContent(of contentType: MediaType?) -> Bool { false }

    /// No object: the content is behind the response's body.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        SerializedResponse(.none, by: .raw)
    }
}

extension ResponseSerializer where Self == RawResponseSerializer {
    /// Bytes.
    public static var raw: Self { RawResponseSerializer() }
}
