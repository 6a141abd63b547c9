/// No parameters: the content of a request is what its task brings.
struct RawRequestSerializer: RequestSerializer {
    func serialize(_ parameters: [UInt8]) throws(RequestSerializationError) -> SerializedContent {
        throw RequestSerializationError(message: "The raw serializer makes no content of parameters; give a body")
    }
}

extension RequestSerializer where Self == RawRequestSerializer {
    /// No parameters.
    static var raw: Self { RawRequestSerializer() }
}
