/// An error of loading or saving cookies.
///
/// The description is safe to show: it contains no path and no cookie.
public struct CookieStorageError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The storage could not be read.
        case readFailed = "read_failed"
        /// The storage could not be written.
        case writeFailed = "write_failed"
        /// The stored data are not cookies.
        case corrupt
    }

    /// The kind of failure, stable for programs.
    public var code: Code
    /// A sentence for people, without a full stop.
    public var message: String
    /// The message of the database or the system, for logs; it may contain paths.
    public var underlying: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The description with the message of the database or the system.
    public var debugDescription: String {
        underlying.map { "\(description) (\($0))" } ?? description
    }
}
