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
        try OutputLimit(inputBytes: parameters.count).check(Self.indentation(of: document.root, depth: 0))
        do throws(PropertyListError) {
            let content = try PropertyListWriter.xml(document.root)
            return SerializedContent(body: .bytes(content), contentType: "application/x-plist")
        } catch {
            var pointer: [String] = []
            if case .value(let place) = error.place { pointer = place.tokens }
            throw RequestSerializationError(
                message: "The parameters cannot be encoded as a property list: \(error)", at: pointer)
        }
    }

    /// Returns the bytes of indentation of a value, the only part of a property list that can grow out of proportion.
    private static func indentation(of value: JSONValue, depth: Int) -> Int {
        switch value.kind {
        case .null, .bool, .number, .string: depth
        case .array(let elements):
            elements.reduce(2 * depth) { $0 + indentation(of: $1, depth: depth + 1) }
        case .object(let object):
            object.members.reduce(2 * depth) { $0 + depth + 1 + indentation(of: $1.value, depth: depth + 1) }
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Returns a serializer for XML property lists.
    public static var propertyList: Self { PropertyListRequestSerializer() }
}
