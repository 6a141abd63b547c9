public import HTTPGrammar
import PropertyList
import XML

/// A property list, XML or binary, which becomes JSON.
///
/// Dates become strings in RFC 3339, data strings in Base64.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// `application/x-plist`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Reads the property list, in the format that its first bytes tell.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .plist) }
        do throws(PropertyListError) {
            let list = try Self.document(content, charset: contentType?[parameter: "charset"])
            return SerializedResponse(.json(PropertyListJSON.write(list.root)), by: .plist)
        } catch {
            throw ResponseSerializationError("The content is no valid property list: \(error.message)")
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
    /// A property list, which becomes JSON.
    public static var plist: Self { PropertyListResponseSerializer() }
}
