import Glibc

/// Standard output and standard error, unbuffered: what is written is there when the process ends, however it ends.
enum StandardStreams {
    /// Writes lines to standard output.
    static func write(_ text: String) {
        write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
    }

    /// Writes lines to standard error.
    static func writeError(_ text: String) {
        write(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes bytes as they are, all of them unless the other side is gone.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
