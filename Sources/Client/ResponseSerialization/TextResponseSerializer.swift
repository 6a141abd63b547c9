import ErrandCharset
public import ErrandHTTPGrammar
import ErrandJSON

/// Decodes text in any charset to a JSON string.
///
/// The charset is that of the byte order mark, else of the content type, else UTF-8 if the content is valid UTF-8, else
/// windows-1252 (which on the web also stands for ISO-8859-1). This is the order of the WHATWG Encoding Standard with a
/// guess at the end. An unknown charset counts as missing. Malformed sequences become U+FFFD.
public struct TextResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `text/*`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Decodes the content; never fails.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .text) }
        let text = Self.decode(content, contentType: contentType)
        // The exact size: growth would need twice the memory, and a control character becomes six bytes.
        var writer = JSONWriter(capacity: JSONWriter.byteCount(ofString: text))
        writer.string(text)
        return SerializedResponse(.json(writer.bytes), by: .text)
    }

    /// Returns content as text, by the charset of its content type or a guess.
    package static func decode(_ content: [UInt8], contentType: MediaType?) -> String {
        Charset.decode(content, label: contentType?[parameter: "charset"]).text
    }

    private static let contentTypes = [MediaRange(type: "text", subtype: "*")]
}

extension ResponseSerializer where Self == TextResponseSerializer {
    /// Returns a serializer for text in any charset.
    public static var text: Self { TextResponseSerializer() }
}
