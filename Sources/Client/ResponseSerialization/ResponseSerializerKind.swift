/// The response serializers, by their names in configurations and tasks.
public enum ResponseSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// Reads one JSON value, which is passed on unchanged: ``JSONResponseSerializer``.
    case json
    /// Converts an XML document to a tree: ``XMLResponseSerializer``.
    case xml
    /// Converts an XML or binary property list to JSON: ``PropertyListResponseSerializer``.
    case plist
    /// Decodes text in any charset to a string: ``TextResponseSerializer``.
    case text
    /// Reads the format and size of an image: ``ImageResponseSerializer``.
    case image
    /// Leaves the content as bytes: ``RawResponseSerializer``.
    case raw
    /// Chooses one of the others by the content type: ``AutomaticResponseSerializer``.
    case auto
}
