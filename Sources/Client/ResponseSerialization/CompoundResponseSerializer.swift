public import ErrandHTTPGrammar

/// Tries several serializers in order and returns the first object that one of them produces.
///
/// A serializer is tried if it accepts the content type of the response, or if the response has none. If it cannot read
/// the content, or produces no object, the next one is tried. If none produces an object, the result is none, which is
/// not an error: the content remains available as bytes.
public struct CompoundResponseSerializer: ResponseSerializer {
    /// The serializers in the order in which they are tried.
    public let serializers: [any ResponseSerializer]

    /// Creates a serializer from several others.
    public init(_ serializers: [any ResponseSerializer]) {
        self.serializers = serializers
    }

    /// The content types of all serializers; `nil` (any) if one of them accepts any.
    public var acceptableContentTypes: [MediaRange]? {
        var union: [MediaRange] = []
        for serializer in serializers {
            guard let ranges = serializer.acceptableContentTypes else { return nil }
            union += ranges.filter { !union.contains($0) }
        }
        return union
    }

    /// Returns whether one of the serializers to be tried reads the content.
    public func readsContent(of contentType: MediaType?) -> Bool {
        serializers.contains { $0.takes(contentType) && $0.readsContent(of: contentType) }
    }

    /// Tries the serializers in order.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        for serializer in serializers where serializer.takes(contentType) {
            do throws(ResponseSerializationError) {
                let response = try serializer.serialize(content, contentType: contentType)
                if response.object != .none { return response }
            } catch {
                // If this serializer cannot read the content, the next one is tried.
                continue
            }
        }
        return SerializedResponse(.none, by: .raw)
    }
}

extension ResponseSerializer {
    /// Returns whether the serializer accepts content of this type, so that it is tried beside others.
    func takes(_ contentType: MediaType?) -> Bool {
        guard let acceptableContentTypes, let contentType else { return true }
        return acceptableContentTypes.contains { $0.contains(contentType) }
    }
}

extension ResponseSerializer where Self == CompoundResponseSerializer {
    /// Returns a serializer that tries others in order.
    public static func compound(_ serializers: [any ResponseSerializer]) -> Self {
        CompoundResponseSerializer(serializers)
    }
}
