import ErrandCryptography
import ErrandFiles
import ErrandLocking
import ErrandSessionCore

/// The digest of a file that is read in steps.
struct FileDigest: ~Copyable, Sendable {
    private let file: PartialFile
    private var digest: IncrementalDigest?
    private var offset: Int64 = 0

    /// Begins at the first byte of a file.
    init(of file: PartialFile, _ digest: consuming IncrementalDigest) {
        self.file = file
        self.digest = consume digest
    }

    /// Appends the bytes of the next step; blocks the calling thread.
    ///
    /// - Parameter isCanceled: Checked for each piece.
    /// - Returns: The digest of the whole file; `nil` if another step follows.
    mutating func step(unless isCanceled: () -> Bool) throws(SessionError) -> [UInt8]? {
        let end = offset + SerialQueues.stepBytes
        var piece: [UInt8] = []
        while offset < end {
            guard !isCanceled() else { throw SessionError.canceled }
            do throws(SystemFailure) {
                try file.read(ContentBuffer.pieceBytes, at: offset, into: &piece)
            } catch {
                throw SessionError(writing: error, to: file.path)
            }
            guard !piece.isEmpty else { return digest.take()?.finish() }
            digest?.update(piece)
            offset += Int64(piece.count)
        }
        return nil
    }
}
