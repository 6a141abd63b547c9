import JSON
import PropertyList
import Transfer

/// Parameters as a property list in XML: an object or an array, and no `null` in it.
///
/// Members keep their order, numbers are written as they stand.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// Makes the content; without parameters there is none.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else { return SerializedContent() }
        let document = try JSONDocument.parseParameters(parameters)
        try OutputLimit(inputBytes: parameters.count).check(Self.indentation(of: document.root, depth: 0))
        do throws(PropertyListError) {
            let content = try PropertyListWriter.xml(document.root)
            return SerializedContent(body: .bytes(content), contentType: "application/x-plist")
        } catch {
            throw RequestSerializationError(message: "The parameters cannot be a property list: \(error)")
        }
    }

    /// The bytes that indent the lines of a value: the one thing of a property list that outgrows its JSON.
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
    /// Parameters as a property list in XML.
    public static var propertyList: Self { PropertyListRequestSerializer() }
}
