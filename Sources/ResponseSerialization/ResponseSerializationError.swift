/// Why the content of a response is not what its serializer reads.
public struct ResponseSerializationError: Error, Sendable, Hashable {
    /// What is wrong.
    public var kind: Kind
    /// What is wrong, and where if that is known, as a sentence without a full stop; nothing of the content is in it.
    public var message: String

    /// What can be wrong.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The content does not follow the grammar of its format: `unparsable_body`.
        case unparsable
        /// The content is nothing that the serializer accepts, whatever its content type says: an image that is none.
        ///
        /// The counterpart of AFNetworking's code −1016 in the domain of response serialization.
        case unacceptableContent
    }

    /// Creates an error.
    public init(_ message: String, kind: Kind = .unparsable) {
        self.kind = kind
        self.message = message
    }
}

extension ResponseSerializationError: CustomStringConvertible {
    /// The message: safe to show and to log.
    public var description: String { message }
}
