/// The reason for which a serializer cannot read the content of a response.
public struct ResponseSerializationError: Error, Sendable {
    /// The kind of the error.
    public var kind: Kind
    /// The message with the position if known: a sentence without a full stop that quotes nothing of the content.
    public var message: String
    /// The error that caused this one, such as that of a serializer of the program; not part of the description.
    public var underlying: (any Error)?

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
    public init(_ message: String, kind: Kind = .unparsable, underlying: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.underlying = underlying
    }
}

extension ResponseSerializationError: CustomStringConvertible {
    /// The message, which is safe to show and to log.
    public var description: String { message }
}

extension ResponseSerializationError: Hashable {
    /// Returns true if kind and message are equal, whatever the underlying errors.
    public static func == (one: Self, other: Self) -> Bool {
        one.kind == other.kind && one.message == other.message
    }

    /// Hashes the kind and the message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(message)
    }
}
