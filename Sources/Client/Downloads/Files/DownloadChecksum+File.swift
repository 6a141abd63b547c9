import ErrandCryptography
import ErrandFiles
import ErrandSessionCore

extension DownloadChecksum {
    /// Compares the digest of a complete file with this one.
    ///
    /// Blocks the calling thread.
    ///
    /// - Parameter isCanceled: Checked for each piece.
    /// - Throws: ``SessionErrorCode/checksumMismatch``, ``SessionErrorCode/canceled``, or the error of a file that
    ///   cannot be read.
    func verify(_ file: PartialFile, unless isCanceled: () -> Bool) throws(SessionError) {
        var digest = try begin()
        let isWhole: Bool
        do throws(SystemFailure) {
            isWhole = try file.hash(into: &digest, unless: isCanceled)
        } catch {
            throw SessionError(writing: error, to: file.path)
        }
        guard isWhole else { throw SessionError.canceled }
        try verify(digest.finish())
    }
}
