import ErrandCryptography
import ErrandTransfer

// The digest of content that has to be read for it, such as a file; nothing of it runs unless a session sends digests.

extension Attempt {
    /// The number of bytes that are read and hashed at once.
    private static let pieceBytes: Int64 = 128 << 10

    /// Reads the content of the next request, and adds its digest.
    ///
    /// Canceling the attempt ends the reading, whose duration counts towards the total timeout.
    ///
    /// - Throws: The error of the source.
    @inline(never)
    func addDigest() async throws(SessionError) {
        guard case .source(let source) = chain.request.body else { return }
        let result = await perform { () async -> Result<[UInt8], TransferError> in
            do throws(TransferError) {
                return .success(try await Attempt.sha256(of: source))
            } catch {
                return .failure(error)
            }
        }
        try checkTime()
        switch result {
        case .success(let digest): chain.add(sha256: digest)
        case .failure(let error): throw sessionError(error)
        }
    }

    /// Returns the SHA-256 digest of the content of a source, which is at its first byte before and after.
    private static func sha256(of source: any BodySource) async throws(TransferError) -> [UInt8] {
        let reader = SourceReader(source)
        reader.begin()
        defer {
            source.end()
            _ = source.rewind()
        }
        var digest = SHA256()
        var left = source.length ?? .max
        while left > 0, let piece = try await reader.next(Int(min(left, pieceBytes))) {
            digest.update(piece)
            left -= Int64(piece.count)
            // A file in memory never lets this wait: it would keep its thread from everything else for gigabytes.
            await Task.yield()
        }
        return digest.finish()
    }
}
