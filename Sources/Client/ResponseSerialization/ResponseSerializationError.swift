/// The reason for which a serializer cannot read the content of a response.
public struct ResponseSerializationError: Error, Sendable, Hashable {
    /// The kind of the error.
    public var kind: Kind
    /// The message with the position if known: a sentence without a full stop that quotes nothing of the content.
    public var message: String

    /// The kinds of errors.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The content does not follow the grammar of its format: `unparsable_body`.
        case unparsable
        /// The content is not of a kind that the serializer accepts, whatever its content type: for example not an
        /// image.
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
    /// The message, which is safe to show and to log.
    public var description: String { message }
}
