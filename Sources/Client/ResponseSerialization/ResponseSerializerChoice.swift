package import ErrandHTTPGrammar

/// The choice of one response serializer, or of several that are tried in order.
public struct ResponseSerializerChoice: Sendable, Hashable {
    /// The serializers in the order in which they are tried; at least one.
    public let kinds: [ResponseSerializerKind]

    /// Chooses one serializer.
    public init(_ kind: ResponseSerializerKind) {
        kinds = [kind]
    }

    /// Chooses serializers that are tried in order; returns `nil` if there are none.
    public init?(_ kinds: [ResponseSerializerKind]) {
        guard !kinds.isEmpty else { return nil }
        self.kinds = kinds
    }

    /// Only ``ResponseSerializerKind/json``.
    public static let json = Self(.json)
    /// Only ``ResponseSerializerKind/xml``.
    public static let xml = Self(.xml)
    /// Only ``ResponseSerializerKind/plist``.
    public static let plist = Self(.plist)
    /// Only ``ResponseSerializerKind/text``.
    public static let text = Self(.text)
    /// Only ``ResponseSerializerKind/image``.
    public static let image = Self(.image)
    /// Only ``ResponseSerializerKind/raw``.
    public static let raw = Self(.raw)
    /// Only ``ResponseSerializerKind/auto``.
    public static let auto = Self(.auto)
}

extension ResponseSerializerChoice {
    /// Returns the serializer of the only kind, or a ``CompoundResponseSerializer`` of all kinds.
    public func serializer(options: ResponseSerializationOptions) -> any ResponseSerializer {
        guard kinds.count > 1 else { return kinds[0].serializer(options: options) }
        return .compound(kinds.map { $0.serializer(options: options) })
    }

    /// Returns true if content may become an object of many times its size, as ``ConversionLimit`` permits it.
    ///
    /// - Parameter contentType: The type of the content.
    package func mayEnlarge(_ contentType: @autoclosure () -> MediaType?) -> Bool {
        contains(contentType()) { $0 == .xml || $0 == .plist }
    }

    /// Returns true if the object of content of this type may be a text.
    package func mayBeText(_ contentType: MediaType?) -> Bool { kindsBeforeText(contentType) != nil }

    /// Returns the kinds that are tried on content of this type before it is read as a text, which always succeeds;
    /// `nil` if it is never read as a text.
    package func kindsBeforeText(_ contentType: MediaType?) -> [ResponseSerializerKind]? {
        var before: [ResponseSerializerKind] = []
        for kind in kinds {
            switch kind {
            case .text where kinds.count == 1 || TextResponseSerializer().takes(contentType):
                return before
            case .auto where AutomaticResponseSerializer.isJSONOrText(contentType):
                return before + [AutomaticResponseSerializer.kind(for: contentType)]
            case .auto where AutomaticResponseSerializer.kind(for: contentType) == .text:
                return before
            default:
                before.append(kind)
            }
        }
        return nil
    }

    private func contains(
        _ contentType: @autoclosure () -> MediaType?, where condition: (ResponseSerializerKind) -> Bool
    ) -> Bool {
        kinds.contains { condition($0 == .auto ? AutomaticResponseSerializer.kind(for: contentType()) : $0) }
    }
}

extension ResponseSerializerKind {
    /// Returns the serializer of this kind.
    public func serializer(options: ResponseSerializationOptions) -> any ResponseSerializer {
        switch self {
        case .json: .json(options)
        case .xml: .xml
        case .plist: .plist
        case .text: .text
        case .image: .image
        case .raw: .raw
        case .auto: .auto(options)
        }
    }
}
