import ErrandJSON
import ErrandTransfer

/// Sends parameters as JSON: an object or an array.
public struct JSONRequestSerializer: RequestSerializer {
    let options: JSONWritingOptions

    /// Returns the content; without parameters there is none.
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else { return SerializedContent() }
        let content = try options.keepsBytes ? validated(parameters) : rewritten(parameters)
        return SerializedContent(body: .bytes(content), contentType: "application/json")
    }

    private func validated(_ parameters: [UInt8]) throws(RequestSerializationError) -> [UInt8] {
        let summary: JSONValidator.Summary
        do throws(JSONSyntaxError) {
            summary = try JSONValidator.validate(parameters)
        } catch {
            throw RequestSerializationError(error)
        }
        guard summary.isContainer else { throw Self.fragment }
        return parameters
    }

    private func rewritten(_ parameters: [UInt8]) throws(RequestSerializationError) -> [UInt8] {
        let document = try JSONDocument.parseParameters(parameters)
        switch document.root.kind {
        case .array, .object: return try JSONFormatter.format(document, options)
        case .null, .bool, .number, .string: throw Self.fragment
        }
    }

    private static let fragment = RequestSerializationError(message: "JSON parameters must be an object or an array")
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Returns a serializer for JSON, which copies the parameters byte for byte unless options say otherwise.
    public static func json(_ options: JSONWritingOptions = JSONWritingOptions()) -> Self {
        JSONRequestSerializer(options: options)
    }
}
