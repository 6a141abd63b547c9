/// Why a file cannot be the content of a request.
///
/// The description is safe to show: it holds no path.
public struct FileSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure, stable for programs.
    public var code: Code
    /// What happened, for people: one sentence without a full stop.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The kinds of failure: words of the task error table.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no such file.
        case fileNotFound = "file_not_found"
        /// It is no regular file, lies where it must not, or cannot be read.
        case badFile = "bad_file"
    }
}
