/// The reason for which parameters cannot be turned into content.
public struct RequestSerializationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The message for users: one sentence without a full stop, and without any value of the parameters.
    public var message: String
    /// The position in the input: member names and element indices from the outermost inwards; empty for the whole
    /// input.
    public var pointer: [String]

    /// Creates an error.
    public init(message: String, at pointer: [String] = []) {
        self.message = message
        self.pointer = pointer
    }

    /// Returns the same error with its position inside `name`.
    func within(_ name: String) -> Self {
        Self(message: message, at: [name] + pointer)
    }

    /// The message, which is safe to show and to log.
    public var description: String { message }
}
