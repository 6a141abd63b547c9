/// No parameters: the content of a request is what its task brings.
public struct RawRequestSerializer: RequestSerializer {
    /// Makes no content; parameters are refused rather than lost.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard parameters == nil else {
            throw RequestSerializationError(message: "The raw serializer makes no content of parameters; give a body")
        }
        return SerializedContent()
    }
}

extension RequestSerializer where Self == RawRequestSerializer {
    /// No parameters.
    public static var raw: Self { RawRequestSerializer() }
}
