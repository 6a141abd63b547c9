import ErrandTime
internal import Glibc

/// The bytes of a file that is read as a whole.
package enum FileContents {
    /// The reason for which a file cannot be read.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// A system call failed.
        case system(SystemFailure)
        /// The file has more bytes than are accepted.
        case tooLarge(maxBytes: Int)
        /// The other end of a pipe or terminal has written nothing, or has not come to an end.
        case late(limit: Duration, hasBegun: Bool)

        /// The reason, without the file's path.
        package var description: String {
            switch self {
            case .system(let failure): failure.reason
            case .tooLarge(let maxBytes): "larger than \(maxBytes) bytes"
            case .late(let limit, hasBegun: false): "nothing was written to it within \(limit.shortText)"
            case .late(let limit, hasBegun: true): "its end did not come within \(limit.shortText)"
            }
        }
    }

    /// The longest wait for the other end of a pipe or terminal.
    package static let patience = Duration.seconds(5)

    /// Reads a file to its end; also a pipe or a device.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - maxBytes: The most bytes that it may have.
    ///   - limit: The longest wait, in all, for the bytes and the end of anything but a regular file. Default: 5 s.
    package static func read(
        _ path: String, maxBytes: Int, within limit: Duration = patience
    ) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe waits for its writer.
        try read(maxBytes: maxBytes, within: limit) { () throws(SystemFailure) in
            try FileDescriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
    }

    /// Reads standard input to its end, without a limit of time; also a socket, which no path opens.
    ///
    /// - Parameter maxBytes: The most bytes that it may have.
    package static func readStandardInput(maxBytes: Int) throws(Failure) -> [UInt8] {
        try read(descriptor: STDIN_FILENO, maxBytes: maxBytes)
    }

    /// Reads an open file from its position to its end, without a limit of time.
    static func read(descriptor: Int32, maxBytes: Int) throws(Failure) -> [UInt8] {
        try read(maxBytes: maxBytes, within: nil) { () throws(SystemFailure) in
            try FileDescriptor(duplicating: descriptor)
        }
    }

    private static func read(
        maxBytes: Int, within limit: Duration?, _ open: () throws(SystemFailure) -> FileDescriptor
    ) throws(Failure) -> [UInt8] {
        var wait = ReadingWait(limit: limit)
        var bytes: [UInt8] = []
        do throws(SystemFailure) {
            let file = try open()
            let isRegular = try file.regularFileBytes() != nil
            // One more than accepted tells whether the file is larger.
            while bytes.count <= maxBytes {
                if !isRegular, try !wait.isOver(for: file) { break }
                guard try file.readPiece(onto: &bytes, maxBytes: maxBytes + 1) else { break }
            }
        } catch {
            throw .system(error)
        }
        if let limit, wait.isExceeded { throw .late(limit: limit, hasBegun: !bytes.isEmpty) }
        guard bytes.count <= maxBytes else { throw .tooLarge(maxBytes: maxBytes) }
        return bytes
    }
}

/// The waits for the other end of a file, which have one limit in all.
private struct ReadingWait {
    /// The rest of the limit; `nil` for none.
    private var rest: Duration?
    /// True if the other end was late.
    private(set) var isExceeded = false

    init(limit: Duration?) {
        rest = limit
    }

    /// Waits until a read of a file returns at once.
    ///
    /// That is so for bytes, for an error, and for the end: when all writers of a pipe have closed it. A named pipe to
    /// which nothing was written yet is not at its end for `poll(2)`, although a read would return nothing.
    ///
    /// - Returns: False if the other end is late.
    mutating func isOver(for file: borrowing FileDescriptor) throws(SystemFailure) -> Bool {
        var entry = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
        while true {
            let start = ContinuousClock.now
            let ready = poll(&entry, 1, rest.map { Int32(clamping: $0.wholeMillisecondsRoundedUp) } ?? -1)
            let number = errno
            // Only waits count, so that a busy machine reads what is there.
            rest = rest.map { max(.zero, $0 - start.duration(to: .now)) }
            if ready > 0 { return true }
            if ready == 0 {
                isExceeded = true
                return false
            }
            guard number == EINTR else { throw SystemFailure("poll", number: number) }
        }
    }
}

extension FileDescriptor {
    /// Appends a piece from the current position on, up to a number of bytes in all.
    ///
    /// - Returns: False at the end of the file.
    fileprivate borrowing func readPiece(onto bytes: inout [UInt8], maxBytes: Int) throws(SystemFailure) -> Bool {
        let pieceBytes = 64 * 1024
        var got = 0
        var number: Int32 = 0
        let descriptor = self.number
        let room = min(pieceBytes, maxBytes - bytes.count)
        bytes.append(addingCapacity: room) { span in
            span.withUnsafeMutableBufferPointer { buffer, filled in
                repeat {
                    got = Glibc.read(descriptor, buffer.baseAddress, room)
                    number = errno
                } while got < 0 && number == EINTR
                filled = max(0, got)
            }
        }
        // Another reader of the pipe may have taken the bytes.
        if got < 0, number == EAGAIN { return true }
        guard got >= 0 else { throw SystemFailure("read", number: number) }
        return got > 0
    }
}
