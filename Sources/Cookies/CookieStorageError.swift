/// Why cookies could not be loaded or saved.
///
/// The description is safe to show: it holds no path and no cookie.
public struct CookieStorageError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The storage could not be read.
        case readFailed = "read_failed"
        /// The storage could not be written.
        case writeFailed = "write_failed"
        /// What is kept are no cookies.
        case corrupt
    }

    /// What kind of failure, stable for programs.
    public var code: Code
    /// What happened, for people: one sentence without a full stop.
    public var message: String
    /// What the database or the system said, for logs; it may hold paths.
    public var underlying: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The same with what the database or the system said.
    public var debugDescription: String {
        underlying.map { "\(description) (\($0))" } ?? description
    }
}
