public import ErrandHTTPGrammar
import ErrandPropertyList
import ErrandXML

/// Reads an XML or binary property list and converts it to JSON.
///
/// Dates become strings in RFC 3339 format, data becomes Base64 strings. The JSON has at most 16 times the bytes of the
/// content, but always up to 1 MiB, and never more than 64 MiB.
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
        let limit = ConversionLimit(contentBytes: content.count)
        let list: PropertyListDocument
        do throws(PropertyListError) {
            list = try Self.document(content, charset: contentType?[parameter: "charset"], limit.propertyList)
        } catch {
            throw ResponseSerializationError("The content is not a valid property list: \(Self.shown(error))")
        }
        guard let json = PropertyListJSON.write(list.root, maxBytes: limit.maxBytes) else { throw limit.error }
        return SerializedResponse(.json(json), by: .plist)
    }

    /// Returns the message of a fault with its position, but without the path of a value, whose keys are content.
    private static func shown(_ error: PropertyListError) -> String {
        switch error.place {
        case .value: error.message
        case .byte, .xml: error.description
        }
    }

    private static func document(
        _ content: [UInt8], charset: String?, _ limits: PropertyListLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        guard PropertyListFormat(of: content) == .xml else { return try .parse(content, limits: limits) }
        let xml: XMLDocument
        do throws(XMLError) {
            xml = try XMLContent.document(content, charset: charset, limits: limits.xml)
        } catch {
            throw PropertyListError(error.message, at: .xml(error))
        }
        return try .parse(xml, limits: limits)
    }

    private static let contentTypes = [MediaRange(type: "application", subtype: "x-plist")]
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// Returns a serializer for property lists.
    public static var plist: Self { PropertyListResponseSerializer() }
}
