import ErrandCryptography
import ErrandFiles
import ErrandLocking
import ErrandSessionCore

/// A file from which a digest is computed.
protocol DigestedFile: Sendable {
    /// Replaces `piece` by up to `count` bytes from an offset; fewer only at the end of the file.
    func readBack(_ count: Int, at offset: Int64, into piece: inout [UInt8]) throws(SessionError)
}

extension PartialFile: DigestedFile {
    func readBack(_ count: Int, at offset: Int64, into piece: inout [UInt8]) throws(SessionError) {
        do throws(SystemFailure) {
            try read(count, at: offset, into: &piece)
        } catch {
            throw SessionError(writing: error, to: path)
        }
    }
}

/// The digest of a file that is read in steps.
struct FileDigest: ~Copyable, Sendable {
    private let file: any DigestedFile
    private var digest: IncrementalDigest?
    private var offset: Int64 = 0

    /// Begins at the first byte of a file.
    init(of file: any DigestedFile, _ digest: consuming IncrementalDigest) {
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
            try file.readBack(ContentBuffer.pieceBytes, at: offset, into: &piece)
            guard !piece.isEmpty else { return digest.take()?.finish() }
            digest?.update(piece)
            offset += Int64(piece.count)
        }
        return nil
    }
}
