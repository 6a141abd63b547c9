import ErrandCryptography
import ErrandFiles
import ErrandLocking
import Glibc

/// An incomplete file that was kept, while it is read for its digest, in steps, before it is continued.
///
/// It is left as it is when the value is destroyed.
struct KeptFile: ~Copyable, Sendable {
    /// The path of the file.
    let path: String
    /// The number of bytes that count.
    let size: Int64
    private(set) var descriptor: FileDescriptor
    /// The digest of the bytes that were read.
    private(set) var digest = SHA256()
    private var offset: Int64 = 0

    /// The number of bytes that are read at a time.
    private static let pieceBytes: Int64 = 1 << 20

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: The number of bytes that count; others are dropped by the last step.
    /// - Throws: Also if the file is shorter, or no regular file.
    init(at path: String, keeping bytes: Int64) throws(SystemFailure) {
        let descriptor = try FileDescriptor(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard let found = try descriptor.regularFileBytes(), found >= bytes else {
            throw SystemFailure("open \(path), which is shorter than it was", number: EINVAL)
        }
        self.path = path
        size = bytes
        self.descriptor = descriptor
    }

    /// Reads the bytes of the next step; blocks the calling thread.
    ///
    /// - Parameter isCanceled: Returns true to give up, which is checked for each piece.
    /// - Returns: True if all bytes were read, so that the next ones are appended; false if another step follows.
    mutating func step(unless isCanceled: () -> Bool) throws(SystemFailure) -> Bool {
        let end = min(offset + SerialQueues.stepBytes, size)
        var piece: [UInt8] = []
        while offset < end {
            guard !isCanceled() else { throw SystemFailure("read \(path)", number: ECANCELED) }
            try descriptor.read(Int(min(Self.pieceBytes, end - offset)), at: offset, into: &piece)
            guard !piece.isEmpty else { throw SystemFailure("read \(path)", number: EIO) }
            digest.update(piece)
            offset += Int64(piece.count)
        }
        guard offset == size else { return false }
        guard lseek(descriptor.number, off_t(size), SEEK_SET) >= 0 else { throw SystemFailure("lseek \(path)") }
        // Last, so that a file that is not continued keeps all its bytes.
        guard ftruncate(descriptor.number, off_t(size)) == 0 else { throw SystemFailure("ftruncate \(path)") }
        return true
    }
}
