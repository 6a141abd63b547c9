/// The request serializers there are, by the names that configurations and tasks use.
public enum RequestSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// Parameters become `application/x-www-form-urlencoded`.
    case form
    /// Parameters become JSON, byte for byte as they were given unless ``JSONWritingOptions`` say otherwise.
    case json
    /// Parameters become a property list in XML.
    case plist
    /// Parameters become `multipart/form-data`, one part each.
    case multipart
    /// There is no content but the one a task brings itself.
    case raw
}
