/// The request serializers there are, by the names that configurations and tasks use.
public enum RequestSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// Parameters become JSON, byte for byte as they were given.
    case json
    /// There is no content but the one a task brings itself.
    case raw
}
