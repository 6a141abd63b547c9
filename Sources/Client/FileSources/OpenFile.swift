import ErrandFiles
import Glibc

/// A file that is open for reading.
struct OpenFile: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// The flags of every `open(2)`: it does not wait for the writer of a FIFO, acquires no terminal, and is not
    /// inherited by other programs.
    private static let always = O_RDONLY | O_NONBLOCK | O_NOCTTY

    /// Opens the file or folder at a path.
    ///
    /// - Parameters:
    ///   - path: An absolute path, or one relative to the working directory.
    ///   - flags: Additional flags of `open(2)`.
    init(_ path: String, _ flags: Int32 = 0) throws(SystemFailure) {
        descriptor = try FileDescriptor(path, Self.always | flags)
    }

    /// Opens the entry with this name in an open folder, unless it is a symbolic link.
    init(_ name: String, in folder: borrowing OpenFile, _ flags: Int32 = 0) throws(SystemFailure) {
        descriptor = try FileDescriptor(name, in: folder.descriptor, Self.always | O_NOFOLLOW | flags)
    }

    /// Returns the number of bytes of a regular file; `nil` for anything else.
    borrowing func regularFileBytes() throws(SystemFailure) -> Int64? {
        try descriptor.regularFileBytes()
    }

    /// Reads from a regular file; see ``RegularFile/read(_:at:into:)``.
    borrowing func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SystemFailure) {
        try descriptor.read(count, at: offset, into: &bytes)
    }
}
