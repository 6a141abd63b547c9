/// The reason for which parameters cannot be turned into content.
public struct RequestSerializationError: Error, Sendable, CustomStringConvertible {
    /// The message for users: one sentence without a full stop, and without any value of the parameters.
    public var message: String
    /// The position in the input: member names and element indices from the outermost inwards; empty for the whole
    /// input.
    public var pointer: [String]
    /// The error that caused this one, such as that of a serializer of the program; not part of the description.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(message: String, at pointer: [String] = [], underlying: (any Error)? = nil) {
        self.message = message
        self.pointer = pointer
        self.underlying = underlying
    }

    /// Returns the same error with its position inside `name`.
    func within(_ name: String) -> Self {
        Self(message: message, at: [name] + pointer, underlying: underlying)
    }

    /// The message, which is safe to show and to log.
    public var description: String { message }
}

extension RequestSerializationError: Hashable {
    /// Returns true if message and position are equal, whatever the underlying errors.
    public static func == (one: Self, other: Self) -> Bool {
        one.message == other.message && one.pointer == other.pointer
    }

    /// Hashes the message and the position.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(message)
        hasher.combine(pointer)
    }
}
