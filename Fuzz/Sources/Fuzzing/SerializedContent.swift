import ErrandJSON
import ErrandResponseSerialization

/// The guarantees of every response serializer.
enum SerializedContent {
    /// Checks that clients get well-formed JSON, whatever the upstream sent.
    static func judge(_ response: SerializedResponse, of content: [UInt8]) throws {
        switch response.object {
        case .none: break
        case .slice(let range):
            try expect(range.lowerBound >= 0 && range.upperBound <= content.count, "a slice lies in the content")
            _ = try JSONValidator.validate(Array(content[range]), limits: limits)
        case .json(let bytes):
            _ = try JSONValidator.validate(bytes, limits: limits)
        }
    }

    private static let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)
}
