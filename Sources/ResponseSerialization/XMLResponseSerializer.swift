public import HTTPGrammar
import XML

/// An XML document in any charset, which becomes a tree as JSON.
///
/// An element is `{"name","namespace","attributes","children"}`: its name without prefix, its namespace if it has one,
/// the attributes as an object, and strings and elements as they stand in the document. Text is kept exactly, also the
/// white space between elements.
public struct XMLResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `application/xml`, `text/xml`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Reads the document, in the charset of its byte order mark, else of the content type, else of its declaration.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .xml) }
        do throws(XMLError) {
            let document = try XMLContent.document(content, charset: contentType?[parameter: "charset"])
            return SerializedResponse(.json(XMLTreeWriter.write(document)), by: .xml)
        } catch {
            throw ResponseSerializationError("The content is no valid XML: \(error)")
        }
    }

    private static let contentTypes = [
        MediaRange(type: "application", subtype: "xml"),
        MediaRange(type: "text", subtype: "xml"),
    ]
}

extension ResponseSerializer where Self == XMLResponseSerializer {
    /// An XML document, which becomes a tree.
    public static var xml: Self { XMLResponseSerializer() }
}
