public import ErrandHTTPGrammar
import ErrandXML

/// Converts an XML document in any charset to a tree in JSON.
///
/// An element is `{"name","namespace","attributes","children"}`: its name without prefix, its namespace if it has one,
/// its attributes as an object, and its strings and elements in order. Text is kept exactly, including white space
/// between elements.
public struct XMLResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `application/xml`, `text/xml`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Parses the document in the charset of its byte order mark, else of the content type, else of its declaration.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .xml) }
        do throws(XMLError) {
            let document = try XMLContent.document(content, charset: contentType?[parameter: "charset"])
            return SerializedResponse(.json(XMLTreeWriter.write(document)), by: .xml)
        } catch {
            throw ResponseSerializationError("The content is not valid XML: \(error)")
        }
    }

    private static let contentTypes = [
        MediaRange(type: "application", subtype: "xml"),
        MediaRange(type: "text", subtype: "xml"),
    ]
}

extension ResponseSerializer where Self == XMLResponseSerializer {
    /// Returns a serializer for XML documents.
    public static var xml: Self { XMLResponseSerializer() }
}
