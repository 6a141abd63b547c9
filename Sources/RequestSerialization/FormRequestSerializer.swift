import Transfer

/// Parameters as `application/x-www-form-urlencoded`, by the rules of ``QueryEncoding``.
public struct FormRequestSerializer: RequestSerializer {
    /// The type of the content, without a charset: the escapes leave nothing but ASCII.
    static let contentType = "application/x-www-form-urlencoded"

    let encoding: ParameterEncoding

    /// Makes the content; without parameters it is empty, but has its type.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else {
            return SerializedContent(body: .bytes([]), contentType: Self.contentType)
        }
        let content = try QueryEncoding.bytes(parameters, encoding)
        return SerializedContent(body: .bytes(content), contentType: Self.contentType)
    }
}

extension RequestSerializer where Self == FormRequestSerializer {
    /// Parameters as a form.
    public static func form(_ encoding: ParameterEncoding = ParameterEncoding()) -> Self {
        FormRequestSerializer(encoding: encoding)
    }
}
