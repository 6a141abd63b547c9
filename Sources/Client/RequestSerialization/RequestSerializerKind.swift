/// The request serializers, by their names in configurations and tasks.
public enum RequestSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// Encodes parameters as `application/x-www-form-urlencoded`.
    case form
    /// Sends parameters as JSON, byte for byte unless ``JSONWritingOptions`` say otherwise.
    case json
    /// Encodes parameters as an XML property list.
    case plist
    /// Encodes parameters as `multipart/form-data`, one part each.
    case multipart
    /// Sends only the body that the task provides.
    case raw
}
