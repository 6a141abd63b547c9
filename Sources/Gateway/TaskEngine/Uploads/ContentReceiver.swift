import ErrandBodyFiles
import ErrandTaskStore
import ErrandTransfer

/// Writes content to the file of a task as it arrives.
struct ContentReceiver {
    let contents: BodyFiles
    let id: TaskID
    /// The size limit; `nil` for none.
    let maxBytes: Int64?

    /// A reason for which content is not stored.
    enum Failure: Error {
        /// The client did not send all of it.
        case incomplete(any Error)
        /// The file could not be written.
        case notWritten(TransferError)
        /// The content has another digest than the client has announced.
        case otherDigest(found: [UInt8])
    }

    /// Receives the content; it is on the medium when this returns, as far as the durability demands it.
    ///
    /// - Parameters:
    ///   - parts: The content.
    ///   - digest: The SHA-256 that the client has announced; `nil` for none.
    /// - Throws: The reason for which the content is not stored; then there is no file.
    func receive<Parts: AsyncSequence>(
        _ parts: Parts, expecting digest: [UInt8]?
    ) async throws(Failure) -> TaskContent where Parts.Element == [UInt8] {
        // The spool resumes once for each pause.
        let (resumes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let spool = contents.spool(for: id, maxBytes: maxBytes) { continuation.yield() }
        do throws(Failure) {
            try await write(parts, to: spool, resumes)
            let spooled: SpooledBody
            do throws(TransferError) {
                spooled = try await spool.finish()
            } catch {
                throw .notWritten(error)
            }
            if let digest, digest != spooled.sha256 { throw .otherDigest(found: spooled.sha256) }
            return .stored(size: spooled.size, sha256: spooled.sha256)
        } catch {
            await spool.discard()
            // A complete file with another digest; a file that cannot be removed is an orphan.
            if case .otherDigest = error { try? await contents.remove(id) }
            throw error
        }
    }

    private func write<Parts: AsyncSequence>(
        _ parts: Parts, to spool: BodySpool, _ resumes: AsyncStream<Void>
    ) async throws(Failure) where Parts.Element == [UInt8] {
        var iterator = parts.makeAsyncIterator()
        var room = resumes.makeAsyncIterator()
        while true {
            let part: [UInt8]?
            do {
                part = try await iterator.next(isolation: nil)
            } catch {
                throw .incomplete(error)
            }
            guard let part else { return }
            switch spool.append(bytes: part) {
            case .more: break
            case .pause: await room.next()
            case .stop(let error): throw .notWritten(error)
            }
        }
    }
}
