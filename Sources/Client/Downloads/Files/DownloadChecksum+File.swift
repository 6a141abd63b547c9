import ErrandLocking
import ErrandSessionCore

extension DownloadChecksum {
    /// Compares the digest of a complete file with this one.
    ///
    /// A thread for digests computes it in steps, between which those of other files have their turn.
    ///
    /// - Parameter isCanceled: Checked for each piece, on that thread.
    /// - Throws: ``SessionErrorCode/checksumMismatch``, ``SessionErrorCode/canceled``, or the error of a file that
    ///   cannot be read.
    func verify(
        _ file: PartialFile, unless isCanceled: @escaping @Sendable () -> Bool
    ) async throws(SessionError) {
        let found = try await DownloadQueues.digests.performInSteps(with: FileDigest(of: file, try begin())) {
            (reading: inout FileDigest) throws(SessionError) -> [UInt8]? in
            try reading.step(unless: isCanceled)
        }
        try verify(found)
    }
}
