/// The reason for which a file cannot be sent.
///
/// The description is safe to show: it contains no path.
public struct FileSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; its values are stable.
    public var code: Code
    /// The message for users: one sentence without a full stop.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The kinds of failure, which are also codes of task errors.
    public enum Code: String, Sendable, CaseIterable {
        /// The file does not exist.
        case fileNotFound = "file_not_found"
        /// The file is not a regular file, is in a forbidden place, or cannot be read.
        case badFile = "bad_file"
    }
}
