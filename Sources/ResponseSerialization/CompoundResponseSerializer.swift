public import HTTPGrammar

/// Several serializers that are tried in order: the first object that one of them makes is the object.
///
/// A serializer is tried when its own content types take that of the response, or the response has none. One that
/// cannot read the content, or makes no object of it, leaves it to the next. When none makes an object there is none,
/// and that is no error: the content is still there as bytes.
public struct CompoundResponseSerializer: ResponseSerializer {
    /// The serializers in the order in which they are tried.
    public let serializers: [any ResponseSerializer]

    /// Creates a serializer of others.
    public init(_ serializers: [any ResponseSerializer]) {
        self.serializers = serializers
    }

    /// Those of all the serializers; any as soon as one of them takes any.
    public var acceptableContentTypes: [MediaRange]? {
        var union: [MediaRange] = []
        for serializer in serializers {
            guard let ranges = serializer.acceptableContentTypes else { return nil }
            union += ranges.filter { !union.contains($0) }
        }
        return union
    }

    /// Whether one of the serializers that will be tried does.
    public func readsContent(of contentType: MediaType?) -> Bool {
        serializers.contains { $0.takes(contentType) && $0.readsContent(of: contentType) }
    }

    /// Tries the serializers.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        for serializer in serializers where serializer.takes(contentType) {
            do throws(ResponseSerializationError) {
                let response = try serializer.serialize(content, contentType: contentType)
                if response.object != .none { return response }
            } catch {
                // That this serializer cannot read the content is what the next one is there for.
                continue
            }
        }
        return SerializedResponse(.none, by: .raw)
    }
}

extension ResponseSerializer {
    /// Whether the serializer's own content types let it read a content of this type.
    fileprivate func takes(_ contentType: MediaType?) -> Bool {
        guard let acceptableContentTypes, let contentType else { return true }
        return acceptableContentTypes.contains { $0.contains(contentType) }
    }
}

extension ResponseSerializer where Self == CompoundResponseSerializer {
    /// Several serializers that are tried in order.
    public static func compound(_ serializers: [any ResponseSerializer]) -> Self {
        CompoundResponseSerializer(serializers)
    }
}
