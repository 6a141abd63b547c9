public import ErrandHTTPGrammar

/// Chooses the serializer by the content type; content that no other serializer reads stays as bytes.
///
/// | Content type | Read as |
/// | --- | --- |
/// | `application/json`, `text/json`, names that end in `+json` | JSON |
/// | `text/javascript` | JSON if it is valid, otherwise text: it is also the type of programs (RFC 9239) |
/// | `application/x-plist` and the other names of property lists | a property list |
/// | `application/xml`, `text/xml`, names that end in `+xml` | XML |
/// | images of a format that the image serializer supports | an image |
/// | `text/*` | text |
/// | any other, or none | bytes |
public struct AutomaticResponseSerializer: ResponseSerializer {
    /// The options for the chosen serializers.
    public var options: ResponseSerializationOptions

    /// Creates a serializer.
    public init(_ options: ResponseSerializationOptions = ResponseSerializationOptions()) {
        self.options = options
    }

    /// `nil`: every content type is acceptable.
    public var acceptableContentTypes: [MediaRange]? { nil }

    /// Returns whether the serializer for the type reads the content.
    public func readsContent(of contentType: MediaType?) -> Bool { Self.kind(for: contentType) != .raw }

    /// Passes the content to the serializer for its content type.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        let serializer = Self.kind(for: contentType).serializer(options: options)
        guard Self.isJSONOrText(contentType) else {
            return try serializer.serialize(content, contentType: contentType)
        }
        let jsonOrText = CompoundResponseSerializer([serializer, .text])
        return try jsonOrText.serialize(content, contentType: contentType)
    }

    /// Returns true if content of this type is read as text unless it is JSON.
    static func isJSONOrText(_ contentType: MediaType?) -> Bool {
        contentType?.description == "text/javascript"
    }

    /// Returns the kind of serializer for a content type, the first one if several are tried.
    static func kind(for contentType: MediaType?) -> ResponseSerializerKind {
        guard let contentType else { return .raw }
        if let kind = kinds[contentType.description] { return kind }
        if contentType.subtype.hasSuffix("+json") { return .json }
        if contentType.subtype.hasSuffix("+xml") { return .xml }
        return contentType.type == "text" ? .text : .raw
    }

    private static let kinds: [String: ResponseSerializerKind] = [
        "application/json": .json, "text/json": .json, "text/javascript": .json,
        "application/xml": .xml, "text/xml": .xml,
        "application/x-plist": .plist, "application/x-apple-plist": .plist, "application/x-bplist": .plist,
        "application/x-apple-binary-plist": .plist, "text/x-apple-plist+xml": .plist,
        "image/png": .image, "image/jpeg": .image, "image/gif": .image, "image/webp": .image, "image/tiff": .image,
        "image/bmp": .image, "image/x-bmp": .image, "image/x-ms-bmp": .image, "image/x-win-bitmap": .image,
        "image/ico": .image, "image/x-icon": .image, "image/vnd.microsoft.icon": .image, "image/x-xbitmap": .image,
    ]
}

extension ResponseSerializer where Self == AutomaticResponseSerializer {
    /// Returns a serializer that chooses by the content type.
    public static func auto(_ options: ResponseSerializationOptions) -> Self { AutomaticResponseSerializer(options) }

    /// Returns a serializer that chooses by the content type, with the default options.
    public static var auto: Self { AutomaticResponseSerializer() }
}
