internal import CErrandLinux
internal import Glibc

/// An open file, which is closed when the value is destroyed, if not before.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number by which the system knows the open file, valid until it is closed; negative afterwards.
    package private(set) var number: Int32

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - flags: The flags of `open(2)`; `O_CLOEXEC` is added.
    package init(_ path: String, _ flags: Int32) throws(SystemFailure) {
        // Only the owner has access, because bodies may be secret.
        let number = DescriptorReserve.admit(open(path, flags | O_CLOEXEC, 0o600))
        guard number >= 0 else { throw SystemFailure("open \(path)") }
        self.number = number
    }

    /// Opens an entry of an open folder.
    ///
    /// - Parameters:
    ///   - name: The entry's name.
    ///   - folder: The folder.
    ///   - flags: The flags of `openat(2)`; `O_CLOEXEC` is added.
    package init(_ name: String, in folder: borrowing FileDescriptor, _ flags: Int32) throws(SystemFailure) {
        let number = DescriptorReserve.admit(openat(folder.number, name, flags | O_CLOEXEC, 0o600))
        guard number >= 0 else { throw SystemFailure("openat \(name)") }
        self.number = number
    }

    /// Makes another descriptor of an open file, whose position both share.
    ///
    /// - Parameter number: A descriptor of the file, which stays open.
    package init(duplicating number: Int32) throws(SystemFailure) {
        let other = DescriptorReserve.admit(fcntl(number, F_DUPFD_CLOEXEC, 0))
        guard other >= 0 else { throw SystemFailure("fcntl F_DUPFD_CLOEXEC") }
        self.number = other
    }

    /// Returns another descriptor of the same open file, whose position both share.
    package borrowing func duplicate() throws(SystemFailure) -> FileDescriptor {
        try FileDescriptor(duplicating: number)
    }

    deinit {
        // A failed close cannot be repeated on Linux. Callers that need the bytes have called `close`, and those that
        // need them on the medium `synchronize`.
        if number >= 0 { _ = Glibc.close(number) }
    }

    /// Closes the file, and reports writes that the file system has only now found to have failed.
    ///
    /// The file is closed even if this fails. It must not be used afterwards.
    package mutating func close() throws(SystemFailure) {
        let closing = number
        number = -1
        guard Glibc.close(closing) == 0 || errno == EINTR else { throw SystemFailure("close") }
    }

    /// Writes all bytes at the current position.
    package borrowing func write(_ bytes: [UInt8]) throws(SystemFailure) {
        let number = number
        try Self.writeAll(bytes) { start, count, _ in Glibc.write(number, start, count) }
    }

    /// Writes all bytes from an offset on, which leaves the current position as it is.
    package borrowing func write(_ bytes: [UInt8], at offset: Int64) throws(SystemFailure) {
        let number = number
        try Self.writeAll(bytes) { start, count, written in
            pwrite(number, start, count, off_t(offset) + off_t(written))
        }
    }

    /// Writes all bytes by calls each of which may write fewer, and is given the number of those before it.
    private static func writeAll(
        _ bytes: [UInt8], by call: (_ start: UnsafeRawPointer?, _ count: Int, _ written: Int) -> Int
    ) throws(SystemFailure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                call(buffer.baseAddress.map { $0 + written }, buffer.count - written, written)
            }
            if count > 0 {
                written += count
            } else if count == 0 {
                // A file that takes nothing would be written to forever.
                throw SystemFailure("write", number: EIO)
            } else if errno != EINTR {
                throw SystemFailure("write")
            }
        }
    }

    /// The space that the file has on the disk, in bytes.
    package borrowing func allocatedBytes() throws(SystemFailure) -> Int64 {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemFailure("fstat") }
        return Int64(status.st_blocks) * 512
    }

    /// Reserves the space of the first bytes of the file, if the file system can; the size stays as it is.
    ///
    /// - Returns: False if the file system cannot reserve space.
    /// - Throws: `ENOSPC` if there is not enough, `EFBIG` if no file can be so large.
    package borrowing func reserve(_ bytes: Int64) throws(SystemFailure) -> Bool {
        while clinux_reserve(number, off_t(bytes)) != 0 {
            switch errno {
            case EINTR: continue
            case EOPNOTSUPP, ENOSYS, EINVAL: return false
            default: throw SystemFailure("fallocate")
            }
        }
        return true
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    package borrowing func read(_ count: Int, at offset: Int64) throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(count, at: offset, into: &bytes)
        return bytes
    }

    /// Replaces `bytes` by up to `count` bytes from `offset`; fewer only at the end of the file.
    ///
    /// The memory of `bytes` is used again.
    package borrowing func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SystemFailure) {
        bytes.removeAll(keepingCapacity: true)
        // Without capacity the array is the one that all empty arrays share, to which `append` writes its count: a race.
        guard count > 0 else { return }
        try bytes.append(addingCapacity: count) { (span) throws(SystemFailure) in
            try span.withUnsafeMutableBufferPointer { (buffer, filled) throws(SystemFailure) in
                while filled < count {
                    let got = pread(
                        number, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + off_t(filled))
                    if got == 0 { return }
                    if got > 0 {
                        filled += got
                    } else if errno != EINTR {
                        throw SystemFailure("read")
                    }
                }
            }
        }
    }

    /// The number of bytes in the file.
    package borrowing func size() throws(SystemFailure) -> Int64 {
        Int64(try status().st_size)
    }

    /// Returns the number of bytes of a regular file; `nil` for anything else.
    package borrowing func regularFileBytes() throws(SystemFailure) -> Int64? {
        let status = try status()
        return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// Returns true if the file has two names, as an interrupted move leaves it (``FileMove/hasTwoNames(_:)``).
    package borrowing func hasTwoNames() throws(SystemFailure) -> Bool {
        FileMove.hasTwoNames(try status())
    }

    private borrowing func status() throws(SystemFailure) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemFailure("fstat") }
        return status
    }

    /// Waits until the bytes of the file, and the metadata to find them, are on the medium.
    ///
    /// If this fails, the bytes are lost: the system may have dropped them, and would report success the next time.
    package borrowing func synchronizeData() throws(SystemFailure) {
        guard fdatasync(number) == 0 else { throw SystemFailure("fdatasync") }
    }

    /// Waits until the file and all of its metadata (for a folder: its entries) are on the medium.
    package borrowing func synchronize() throws(SystemFailure) {
        guard fsync(number) == 0 else { throw SystemFailure("fsync") }
    }
}
