import Charset
public import HTTPGrammar
import JSON

/// Text in any charset, which becomes a JSON string.
///
/// The charset is that of the byte order mark, else that of the content type, else UTF-8 if the content is that, else
/// windows-1252 (and so ISO-8859-1, which the web takes for the same): the order of the WHATWG's Encoding Standard and a
/// guess at the end. A charset of an unknown name is as good as none. What is malformed becomes U+FFFD.
public struct TextResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `text/*`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Decodes the content; it cannot fail.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .text) }
        let decoded = Charset.decode(content, label: contentType?[parameter: "charset"])
        var writer = JSONWriter(capacity: content.count + 2)
        writer.string(decoded.text)
        return SerializedResponse(.json(writer.bytes), by: .text)
    }

    private static let contentTypes = [MediaRange(type: "text", subtype: "*")]
}

extension ResponseSerializer where Self == TextResponseSerializer {
    /// Text in any charset.
    public static var text: Self { TextResponseSerializer() }
}
