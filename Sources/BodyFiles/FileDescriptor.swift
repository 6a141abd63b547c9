import Glibc

/// An open file.
///
/// Closed when it goes.
struct FileDescriptor: ~Copyable, Sendable {
    private let number: Int32

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - flags: Those of `open(2)`; `O_CLOEXEC` is added.
    init(_ path: String, _ flags: Int32) throws(SystemFailure) {
        // Owner only: bodies are as secret as what the upstream sent.
        let number = open(path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemFailure("open \(path)") }
        self.number = number
    }

    deinit {
        // A failed close cannot be repeated on Linux, and who needs the bytes on the medium has called `synchronize`.
        _ = close(number)
    }

    /// Writes all of the bytes at the file's position.
    borrowing func write(_ bytes: [UInt8]) throws(SystemFailure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(number, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw SystemFailure("write")
            }
        }
    }

    /// Reads up to `count` bytes from `offset` on; fewer only at the end of the file.
    borrowing func read(_ count: Int, at offset: Int64) throws(SystemFailure) -> [UInt8] {
        var failure: SystemFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    number, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + off_t(filled))
                if got == 0 { return }
                if got > 0 {
                    filled += got
                } else if errno != EINTR {
                    failure = SystemFailure("read")
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// The number of bytes in the file.
    borrowing func size() throws(SystemFailure) -> Int64 {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemFailure("fstat") }
        return Int64(status.st_size)
    }

    /// Returns when the bytes of the file, and what is needed to find them, are on the medium.
    borrowing func synchronizeData() throws(SystemFailure) {
        guard fdatasync(number) == 0 else { throw SystemFailure("fdatasync") }
    }

    /// Returns when all about the file (of a folder: its entries) is on the medium.
    borrowing func synchronize() throws(SystemFailure) {
        guard fsync(number) == 0 else { throw SystemFailure("fsync") }
    }
}
