import Glibc

/// Something in a file system that is open for reading.
///
/// Closed when it goes.
struct OpenFile: ~Copyable, Sendable {
    private let number: Int32

    /// What every opening adds: it never waits (for the writer of a FIFO), takes no terminal over, and no other program
    /// inherits it.
    private static let always = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

    /// Opens what is at a path.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working directory.
    ///   - flags: Those of `open(2)`.
    init(_ path: String, _ flags: Int32 = 0) throws(SystemFailure) {
        number = open(path, Self.always | flags)
        guard number >= 0 else { throw SystemFailure() }
    }

    /// Opens what has this name in an open folder, unless it is a symbolic link.
    init(_ name: String, in folder: borrowing OpenFile, _ flags: Int32 = 0) throws(SystemFailure) {
        number = openat(folder.number, name, Self.always | O_NOFOLLOW | flags)
        guard number >= 0 else { throw SystemFailure() }
    }

    deinit {
        // Nothing was written: a failed close loses nothing. A file that was not opened has no number.
        if number >= 0 { _ = close(number) }
    }

    /// The number of bytes of a regular file; `nil` for anything else.
    borrowing func regularFileBytes() throws(SystemFailure) -> Int64? {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemFailure() }
        return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// Reads from a regular file, like ``RegularFile/read(_:at:into:)``.
    borrowing func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SystemFailure) {
        bytes.removeAll(keepingCapacity: true)
        try bytes.append(addingCapacity: count) { (span) throws(SystemFailure) in
            try span.withUnsafeMutableBufferPointer { (buffer, filled) throws(SystemFailure) in
                while filled < count {
                    let got = pread(
                        number, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + off_t(filled))
                    if got == 0 { return }
                    if got > 0 {
                        filled += got
                    } else if errno != EINTR {
                        throw SystemFailure()
                    }
                }
            }
        }
    }
}
