import ErrandTransfer

/// Encodes parameters as `application/x-www-form-urlencoded`, by the rules of ``QueryEncoding``.
public struct FormRequestSerializer: RequestSerializer {
    /// The content type, without a charset, because the content is pure ASCII.
    static let contentType = "application/x-www-form-urlencoded"

    let encoding: ParameterEncoding

    /// Returns the content; without parameters it is empty, but has its content type.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else {
            return SerializedContent(body: .bytes([]), contentType: Self.contentType)
        }
        let content = try QueryEncoding.bytes(parameters, encoding)
        return SerializedContent(body: .bytes(content), contentType: Self.contentType)
    }
}

extension RequestSerializer where Self == FormRequestSerializer {
    /// Returns a serializer for forms.
    public static func form(_ encoding: ParameterEncoding = ParameterEncoding()) -> Self {
        FormRequestSerializer(encoding: encoding)
    }
}
