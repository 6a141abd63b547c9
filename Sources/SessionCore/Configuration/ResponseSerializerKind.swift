/// The response serializers there are, by the names that configurations and tasks use.
public enum ResponseSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// The content is one JSON value, passed on exactly.
    case json
    /// The content is bytes.
    case raw
}
