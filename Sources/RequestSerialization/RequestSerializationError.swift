/// Why parameters cannot be turned into content.
public struct RequestSerializationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// For people: one sentence without a full stop, and without any value of the parameters.
    public var message: String

    /// Creates an error.
    public init(message: String) {
        self.message = message
    }

    /// The message: safe to show and to log.
    public var description: String { message }
}
