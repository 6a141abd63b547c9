internal import Glibc

/// The bytes of a file that is read as a whole.
package enum FileContents {
    /// The reason for which a file cannot be read.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// A system call failed.
        case system(SystemFailure)
        /// The file has more bytes than are accepted.
        case tooLarge(maxBytes: Int)

        /// The reason, without the file's path.
        package var description: String {
            switch self {
            case .system(let failure): failure.reason
            case .tooLarge(let maxBytes): "larger than \(maxBytes) bytes"
            }
        }
    }

    /// Reads a file to its end; also a pipe or a device.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - maxBytes: The most bytes that it may have.
    package static func read(_ path: String, maxBytes: Int) throws(Failure) -> [UInt8] {
        try read(maxBytes: maxBytes) { () throws(SystemFailure) in try FileDescriptor(path, O_RDONLY) }
    }

    /// Reads standard input to its end; also a socket, which no path opens.
    ///
    /// - Parameter maxBytes: The most bytes that it may have.
    package static func readStandardInput(maxBytes: Int) throws(Failure) -> [UInt8] {
        try read(descriptor: STDIN_FILENO, maxBytes: maxBytes)
    }

    /// Reads an open file from its position to its end.
    static func read(descriptor: Int32, maxBytes: Int) throws(Failure) -> [UInt8] {
        try read(maxBytes: maxBytes) { () throws(SystemFailure) in try FileDescriptor(duplicating: descriptor) }
    }

    private static func read(
        maxBytes: Int, _ open: () throws(SystemFailure) -> FileDescriptor
    ) throws(Failure) -> [UInt8] {
        do throws(SystemFailure) {
            let file = try open()
            // One more than accepted tells whether the file is larger.
            let bytes = try file.readToEnd(maxBytes: maxBytes + 1)
            if bytes.count <= maxBytes { return bytes }
        } catch {
            throw .system(error)
        }
        throw .tooLarge(maxBytes: maxBytes)
    }
}

extension FileDescriptor {
    /// Reads from the current position to the end, but no more than `maxBytes`.
    package borrowing func readToEnd(maxBytes: Int) throws(SystemFailure) -> [UInt8] {
        let pieceBytes = 64 * 1024
        var bytes: [UInt8] = []
        while bytes.count < maxBytes {
            var got = 0
            let room = min(pieceBytes, maxBytes - bytes.count)
            bytes.append(addingCapacity: room) { span in
                span.withUnsafeMutableBufferPointer { buffer, filled in
                    repeat {
                        got = Glibc.read(number, buffer.baseAddress, room)
                    } while got < 0 && errno == EINTR
                    filled = max(0, got)
                }
            }
            guard got >= 0 else { throw SystemFailure("read") }
            if got == 0 { break }
        }
        return bytes
    }
}
