import ArgumentParser
import ErrandFiles
import ErrandLogOutput
import Glibc

/// Standard output and standard error, unbuffered, so that no output is lost however the process exits.
///
/// For short-lived commands. A gateway uses its log instead, which does not block on a slow reader.
enum StandardStreams {
    /// Writes lines to standard output.
    ///
    /// - Throws: A failure of the command if not all of them could be written, after a message: a file that is cut off
    ///   must not look complete. There is no message for a pipe whose reader has left, and wants no more.
    static func write(_ text: String) throws(ExitCode) {
        let bytes = Array("\(text)\n".utf8)
        guard OutputDescriptor.standardOutput.write(bytes) < bytes.count else { return }
        let failure = SystemFailure("cannot write all of the output")
        if failure.number != EPIPE { writeError("errand: \(failure)") }
        throw .failure
    }

    /// Writes lines to standard error.
    static func writeError(_ text: String) {
        OutputDescriptor.standardError.write(Array("\(text)\n".utf8))
    }
}
