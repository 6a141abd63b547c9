public import ErrandHTTPGrammar
import ErrandXML

/// Converts an XML document in any charset to a tree in JSON.
///
/// An element is `{"name","namespace","attributes","children"}`: its name without prefix, its namespace if it has one,
/// its attributes as an object, and its strings and elements in order. Text is kept exactly, including white space
/// between elements. The JSON has at most 16 times the bytes of the content, but always up to 1 MiB, and never more
/// than 64 MiB.
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
        let limit = ConversionLimit(contentBytes: content.count)
        let document: XMLDocument
        do throws(XMLError) {
            document = try XMLContent.document(content, charset: contentType?[parameter: "charset"], limits: limit.xml)
        } catch {
            throw ResponseSerializationError("The content is not valid XML: \(error)")
        }
        return SerializedResponse(.json(try XMLTreeWriter.write(document, within: limit)), by: .xml)
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
