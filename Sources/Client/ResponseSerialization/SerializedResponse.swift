/// The object that a response serializer produced, and the serializer.
public struct SerializedResponse: Sendable, Hashable {
    /// The object that was produced from the content.
    public var object: ResponseObject
    /// The serializer that read the content: the one chosen by the content type, or the first of several that produced
    /// an object; ``ResponseSerializerKind/raw`` if none of them did.
    public var serializer: ResponseSerializerKind

    /// Creates a serialized response.
    public init(_ object: ResponseObject, by serializer: ResponseSerializerKind) {
        self.object = object
        self.serializer = serializer
    }
}
