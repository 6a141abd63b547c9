/// The response serializers there are, by the names that configurations and tasks use.
public enum ResponseSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// The content is one JSON value, passed on exactly: ``JSONResponseSerializer``.
    case json
    /// The content is an XML document, which becomes a tree: ``XMLResponseSerializer``.
    case xml
    /// The content is a property list, XML or binary, which becomes JSON: ``PropertyListResponseSerializer``.
    case plist
    /// The content is text in some charset, which becomes a string: ``TextResponseSerializer``.
    case text
    /// The content is an image, whose format and size are told: ``ImageResponseSerializer``.
    case image
    /// The content is bytes: ``RawResponseSerializer``.
    case raw
    /// The content type chooses one of the others: ``AutomaticResponseSerializer``.
    case auto
}
