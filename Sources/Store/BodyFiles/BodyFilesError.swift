/// A failure to read, remove or prepare a body file.
///
/// The description is safe to show, because it contains no path.
package struct BodyFilesError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of failure, stable for programs.
    package var code: Code
    /// The message for the user: one sentence without a full stop.
    package var message: String
    /// The path and the message of the system, for logs.
    package var underlying: String?

    /// Creates an error.
    package init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    package var description: String { "\(code.rawValue): \(message)" }

    package var debugDescription: String {
        underlying.map { "\(description) (\($0))" } ?? description
    }

    /// The kinds of failure.
    package enum Code: String, Sendable, CaseIterable {
        /// The file does not exist.
        case missing
        /// The disk is full.
        case diskFull = "disk_full"
        /// The folder is not writable.
        case readOnly = "read_only"
        /// Any other failure of the system.
        case inputOutput = "input_output"
    }
}
