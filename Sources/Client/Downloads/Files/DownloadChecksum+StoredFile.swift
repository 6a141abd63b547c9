import ErrandFiles
import ErrandLocking
package import ErrandSessionCore
import Glibc

extension DownloadChecksum {
    /// Returns the digest of a file that was stored, by the hash function of this one.
    ///
    /// A thread for digests computes it in steps, between which those of other files have their turn.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: The size of the file.
    ///   - isCanceled: Checked for each piece, on that thread.
    /// - Throws: ``SessionErrorCode/canceled``, ``SessionErrorCode/cannotWrite`` if the file cannot be read or has
    ///   another size, or the error of ``begin()``.
    package func digest(
        ofFileAt path: String, bytes: Int64, unless isCanceled: @escaping @Sendable () -> Bool
    ) async throws(SessionError) -> [UInt8] {
        let file = try await DownloadQueues.digests.perform { () throws(SessionError) in
            try StoredFile(path, bytes: bytes)
        }
        return try await DownloadQueues.digests.performInSteps(with: FileDigest(of: file, try begin())) {
            (reading: inout FileDigest) throws(SessionError) -> [UInt8]? in
            try reading.step(unless: isCanceled)
        }
    }
}

/// A complete file that is open for its digest.
private final class StoredFile: DigestedFile {
    private let descriptor: FileDescriptor

    /// Opens a file, which blocks.
    init(_ path: String, bytes: Int64) throws(SessionError) {
        let found: Int64
        do throws(SystemFailure) {
            descriptor = try FileDescriptor(path, O_RDONLY)
            found = try descriptor.size()
        } catch {
            throw SessionError(readingBack: error)
        }
        guard found == bytes else {
            throw SessionError(
                .cannotWrite, "The file of the content has \(found) instead of \(bytes) bytes", isRetryable: true)
        }
    }

    func readBack(_ count: Int, at offset: Int64, into piece: inout [UInt8]) throws(SessionError) {
        do throws(SystemFailure) {
            try descriptor.read(count, at: offset, into: &piece)
        } catch {
            throw SessionError(readingBack: error)
        }
    }
}

extension SessionError {
    /// Creates the error of a stored file that cannot be read.
    fileprivate init(readingBack failure: SystemFailure) {
        self.init(.cannotWrite, "The content could not be read back: \(failure.reason)", isRetryable: true)
    }
}
