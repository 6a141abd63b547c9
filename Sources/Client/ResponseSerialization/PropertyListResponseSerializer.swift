public import ErrandHTTPGrammar
import ErrandPropertyList
import ErrandXML

/// Reads an XML or binary property list and converts it to JSON.
///
/// Dates become strings in RFC 3339 format, data becomes Base64 strings.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `application/x-plist`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Reads the property list; its first bytes determine the format.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .plist) }
        do throws(PropertyListError) {
            let list = try Self.document(content, charset: contentType?[parameter: "charset"])
            return SerializedResponse(.json(PropertyListJSON.write(list.root)), by: .plist)
        } catch {
            throw ResponseSerializationError("The content is not a valid property list: \(error.message)")
        }
    }

    private static func document(
        _ content: [UInt8], charset: String?
    ) throws(PropertyListError) -> PropertyListDocument {
        guard PropertyListFormat(of: content) == .xml else { return try .parse(content) }
        let xml: XMLDocument
        do throws(XMLError) {
            xml = try XMLContent.document(content, charset: charset, limits: PropertyListLimits().xml)
        } catch {
            throw PropertyListError(error.message, at: .xml(error))
        }
        return try .parse(xml)
    }

    private static let contentTypes = [MediaRange(type: "application", subtype: "x-plist")]
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// Returns a serializer for property lists.
    public static var plist: Self { PropertyListResponseSerializer() }
}
