/// Refuses parameters: the content of a request is the body that its task provides.
public struct RawRequestSerializer: RequestSerializer {
    /// Returns no content; fails if there are parameters, which would otherwise be lost.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard parameters == nil else {
            throw RequestSerializationError(message: "The raw serializer does not accept parameters; give a body")
        }
        return SerializedContent()
    }
}

extension RequestSerializer where Self == RawRequestSerializer {
    /// Returns a serializer that refuses parameters.
    public static var raw: Self { RawRequestSerializer() }
}
