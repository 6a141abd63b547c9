import ErrandFiles
import ErrandTransfer
import Glibc

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

extension SystemFailure {
    /// The error for a file that could not be opened.
    var openingError: FileSourceError {
        switch number {
        case ENOENT: FileSourceError(.fileNotFound, "The file does not exist")
        case EACCES, EPERM: FileSourceError(.badFile, "Access to the file is denied")
        case ELOOP: FileSourceError(.badFile, "The file is behind a symbolic link that is not followed")
        case ENOTDIR: FileSourceError(.badFile, "A component of the path to the file is a symbolic link or no folder")
        default: FileSourceError(.badFile, "The file cannot be opened: \(reason)")
        }
    }
}
