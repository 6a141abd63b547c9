/// What reads a response: one serializer, or several that are tried in order.
public struct ResponseSerializerChoice: Sendable, Hashable {
    /// The serializers in the order in which they are tried; there is at least one.
    public let kinds: [ResponseSerializerKind]

    /// Chooses one serializer.
    public init(_ kind: ResponseSerializerKind) {
        kinds = [kind]
    }

    /// Chooses serializers that are tried in order; `nil` when there are none.
    public init?(_ kinds: [ResponseSerializerKind]) {
        guard !kinds.isEmpty else { return nil }
        self.kinds = kinds
    }

    /// ``ResponseSerializerKind/json`` alone.
    public static let json = Self(.json)
    /// ``ResponseSerializerKind/xml`` alone.
    public static let xml = Self(.xml)
    /// ``ResponseSerializerKind/plist`` alone.
    public static let plist = Self(.plist)
    /// ``ResponseSerializerKind/text`` alone.
    public static let text = Self(.text)
    /// ``ResponseSerializerKind/image`` alone.
    public static let image = Self(.image)
    /// ``ResponseSerializerKind/raw`` alone.
    public static let raw = Self(.raw)
    /// ``ResponseSerializerKind/auto`` alone.
    public static let auto = Self(.auto)
}

extension ResponseSerializerChoice {
    /// The serializer that is chosen: that of the one kind, or a ``CompoundResponseSerializer`` of them all.
    public func serializer(options: ResponseSerializationOptions) -> any ResponseSerializer {
        let serializers = kinds.map { $0.serializer(options: options) }
        return if serializers.count == 1 { serializers[0] } else { .compound(serializers) }
    }
}

extension ResponseSerializerKind {
    /// The serializer of this name.
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
