import ErrandLogOutput

/// Standard output and standard error, unbuffered, so that no output is lost however the process exits.
///
/// For short-lived commands. A gateway uses its log instead, which does not block on a slow reader.
enum StandardStreams {
    /// Writes lines to standard output.
    static func write(_ text: String) {
        OutputDescriptor.standardOutput.write(Array("\(text)\n".utf8))
    }

    /// Writes lines to standard error.
    static func writeError(_ text: String) {
        OutputDescriptor.standardError.write(Array("\(text)\n".utf8))
    }
}
