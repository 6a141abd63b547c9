/// Why a body file could not be read, removed or prepared.
///
/// The description is safe to show: it holds no path.
package struct BodyFilesError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What kind of failure, stable for programs.
    package var code: Code
    /// What happened, for people: one sentence without a full stop.
    package var message: String
    /// The path and what the system said, for logs.
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
        /// There is no such file.
        case missing
        /// There is no room on the disk.
        case diskFull = "disk_full"
        /// The folder cannot be written.
        case readOnly = "read_only"
        /// Anything else that the system refused.
        case inputOutput = "input_output"
    }
}
