package import ErrandTransfer

extension SourceReader {
    /// Reads until the source ends, or until a limit is reached.
    ///
    /// - Parameters:
    ///   - chunk: The maximum number of bytes of each read.
    ///   - limit: The maximum number of bytes of all.
    /// - Throws: As `next(_:)`.
    package func readAll(chunk: Int, limit: Int = .max) async throws(TransferError) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < limit, let bytes = try await next(min(chunk, limit - all.count)) {
            all += bytes
        }
        return all
    }

    /// Reads the complete content: begins, reads to the end, ends.
    package static func content(of source: any BodySource, chunk: Int = 1000) async throws(TransferError) -> [UInt8] {
        let reader = SourceReader(source)
        reader.begin()
        defer { source.end() }
        return try await reader.readAll(chunk: chunk)
    }
}
