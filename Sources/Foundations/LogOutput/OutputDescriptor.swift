internal import Glibc

/// A descriptor for output, such as standard output.
///
/// It is not closed here.
package struct OutputDescriptor: Sendable, Hashable {
    private let number: Int32

    /// Creates a reference to a descriptor, which must stay open while it is used.
    package init(_ number: Int32) {
        self.number = number
    }

    /// Standard output.
    package static let standardOutput = OutputDescriptor(STDOUT_FILENO)
    /// Standard error.
    package static let standardError = OutputDescriptor(STDERR_FILENO)

    /// Writes bytes, and blocks while the reader of a pipe or a terminal is blocked.
    ///
    /// - Returns: The number of written bytes, which is smaller if the reader has closed, the disk is full, or the
    ///   descriptor is closed.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard count < 0 else { break }
            switch errno {
            case EINTR: continue
            // Another process may have made a shared pipe or terminal non-blocking.
            case EAGAIN: guard waitUntilWritable() else { return bytes.count - rest.count }
            default: return bytes.count - rest.count
            }
        }
        return bytes.count - rest.count
    }

    private func waitUntilWritable() -> Bool {
        var poll = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        while Glibc.poll(&poll, 1, -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return poll.revents & Int16(POLLNVAL) == 0
    }
}
