import JSON

/// Parameters as JSON, byte for byte as they were given: an object or an array.
struct JSONRequestSerializer: RequestSerializer {
    func serialize(_ parameters: [UInt8]) throws(RequestSerializationError) -> SerializedContent {
        let isContainer: Bool
        do throws(JSONSyntaxError) {
            isContainer = try JSONValidator.validate(parameters).isContainer
        } catch {
            throw RequestSerializationError(message: "The parameters are no valid JSON: \(error)")
        }
        guard isContainer else {
            throw RequestSerializationError(message: "JSON parameters are an object or an array")
        }
        return SerializedContent(bytes: parameters, contentType: "application/json")
    }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Parameters as JSON, byte for byte.
    static var json: Self { JSONRequestSerializer() }
}
