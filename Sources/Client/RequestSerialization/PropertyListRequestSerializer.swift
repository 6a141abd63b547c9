import ErrandJSON
import ErrandPropertyList
import ErrandTransfer

/// Encodes parameters as an XML property list: an object or an array without `null`.
///
/// Members keep their order, and numbers are written as in the JSON.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// Returns the content; without parameters there is none.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else { return SerializedContent() }
        let document = try JSONDocument.parseParameters(parameters)
        let limit = OutputLimit(inputBytes: parameters.count)
        do throws(PropertyListError) {
            let content = try PropertyListWriter.xml(document.root, maxBytes: limit.maxBytes)
            return SerializedContent(body: .bytes(content), contentType: "application/x-plist")
        } catch {
            var pointer: [String] = []
            if case .value(let place) = error.place { pointer = place.tokens }
            throw RequestSerializationError(
                message: "The parameters cannot be encoded as a property list: \(error)", at: pointer)
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Returns a serializer for XML property lists.
    public static var propertyList: Self { PropertyListRequestSerializer() }
}
