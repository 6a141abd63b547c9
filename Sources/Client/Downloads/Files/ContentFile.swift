import Dispatch
import ErrandCryptography
import ErrandFiles
import ErrandLocking
package import ErrandSessionCore
package import ErrandTransfer

/// A file with the content of a request, readable only by the owner of the process.
package struct ContentFile: Sendable, Hashable {
    /// The path of the file.
    package let path: String
    /// The number of bytes.
    package let byteCount: Int64
    /// The SHA-256 digest of the content; `nil` if the system's configuration has disabled the function.
    package let sha256: [UInt8]?

    /// Writes the content of a source to a file, which appears at its path in one step when it is complete.
    ///
    /// No file is left after an error. A process that ends meanwhile leaves a hidden one, `.….part`, in the folder.
    ///
    /// - Parameters:
    ///   - source: The content, of which this call is the only reader.
    ///   - path: The path of the file, in a folder that exists.
    ///   - conflict: The action if the path exists.
    /// - Throws: The error of the source; ``SessionErrorCode/exists``, ``SessionErrorCode/cannotCreate``,
    ///   ``SessionErrorCode/cannotWrite``, ``SessionErrorCode/diskFull`` or ``SessionErrorCode/cannotMove``;
    ///   ``SessionErrorCode/canceled`` if the calling Swift task is canceled.
    package static func write(
        _ source: any BodySource, to path: String, _ conflict: DownloadConflict
    ) async throws(SessionError) -> ContentFile {
        let queue = DownloadQueues.writers.assign()
        let (target, file) = try await queue.perform { () throws(SessionError) in
            let target = try DownloadPath(path)
            try target.check(conflict)
            do throws(SystemFailure) {
                return (target, try PartialFile(inFolder: target.folder))
            } catch {
                throw SessionError(creating: error, in: target.folder)
            }
        }
        do throws(SessionError) {
            let (byteCount, sha256) = try await copy(source, to: file, on: queue)
            let location = try await queue.perform { () throws(SessionError) in
                do throws(SystemFailure) {
                    try file.synchronize()
                } catch {
                    throw SessionError(writing: error, to: file.path)
                }
                return try file.move(to: target, conflict)
            }
            return ContentFile(path: location, byteCount: byteCount, sha256: sha256)
        } catch {
            await queue.perform { file.remove() }
            throw error
        }
    }

    /// Appends the content of a source to a file.
    ///
    /// - Returns: The number of bytes and their SHA-256 digest.
    private static func copy(
        _ source: any BodySource, to file: PartialFile, on queue: DispatchQueue
    ) async throws(SessionError) -> (byteCount: Int64, sha256: [UInt8]?) {
        let reader = SourceReader(source)
        reader.begin()
        defer { source.end() }
        var digest = IncrementalDigest(.sha256)
        var byteCount: Int64 = 0
        while let piece = try await piece(of: source, reader, after: byteCount) {
            digest?.update(piece)
            byteCount += Int64(piece.count)
            try await queue.perform { () throws(SessionError) in
                do throws(SystemFailure) {
                    try file.write(piece)
                } catch {
                    throw SessionError(writing: error, to: file.path)
                }
            }
        }
        if let length = source.length, byteCount < length {
            throw SessionError(.transportError, "The request content ended before its declared length")
        }
        return (byteCount, digest.take()?.finish())
    }

    /// Returns the next bytes of a source, up to its declared length; `nil` at the end.
    private static func piece(
        of source: any BodySource, _ reader: SourceReader, after byteCount: Int64
    ) async throws(SessionError) -> [UInt8]? {
        let left = source.length.map { $0 - byteCount } ?? .max
        guard left > 0 else { return nil }
        do throws(TransferError) {
            return try await reader.next(Int(min(left, Int64(ContentBuffer.pieceBytes))))
        } catch {
            guard error.code != .canceled, let cause = source.failure else { throw SessionError(error) }
            throw SessionError(.transportError, error.message, cause: cause)
        }
    }
}
