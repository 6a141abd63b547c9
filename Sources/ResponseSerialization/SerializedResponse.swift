/// What a response serializer has made, and which one made it.
public struct SerializedResponse: Sendable, Hashable {
    /// What the content means.
    public var object: ResponseObject
    /// The serializer that read the content: the one that the content type chose, or the first of several that made an
    /// object; ``ResponseSerializerKind/raw`` when none of several did.
    public var serializer: ResponseSerializerKind

    /// Creates a serialized response.
    public init(_ object: ResponseObject, by serializer: ResponseSerializerKind) {
        self.object = object
        self.serializer = serializer
    }
}
