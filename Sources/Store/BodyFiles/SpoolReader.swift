import Dispatch
import ErrandFiles
import ErrandLocking
import ErrandTransfer

/// A reader that follows the content of a spool while it is received.
///
/// It reads from the file, or, where that is not written yet, from the spool's buffer. So it holds no content, and
/// never delays the transfer. Any thread; one call at a time.
package final class SpoolReader: Sendable {
    /// The thread that reads.
    private static let queue = DispatchQueue(label: "errand.bodies.followers")

    private let spool: BodySpool

    fileprivate init(_ spool: BodySpool) {
        self.spool = spool
    }

    /// Returns the bytes from an offset, at most `maxBytes`, and waits until there are any; `nil` at the end.
    ///
    /// - Throws: `CancellationError` if the calling task is canceled; ``TransferError`` if the content was discarded;
    ///   ``BodyFilesError`` if it cannot be read.
    package func read(at offset: Int64, maxBytes: Int) async throws -> [UInt8]? {
        while true {
            try Task.checkCancellation()
            switch spool.state.withLock({ $0.intake.read(at: offset, maxBytes: maxBytes) }) {
            case .bytes(let bytes): return bytes
            case .file(let count): return try await readFile(count, at: offset)
            case .end: return nil
            case .failed(let error): throw error
            case .later: await untilMore(at: offset)
            }
        }
    }

    /// The SHA-256 of the complete content; `nil` before its end.
    package var sha256: [UInt8]? {
        spool.state.withLock { $0.sha256 }
    }

    private func readFile(_ count: Int, at offset: Int64) async throws(BodyFilesError) -> [UInt8] {
        guard let file = spool.shared.withLock({ $0 }) else {
            throw BodyFilesError(.inputOutput, "The file could not be opened again")
        }
        let bytes: [UInt8]
        do throws(SystemFailure) {
            bytes = try await Self.queue.perform { () throws(SystemFailure) in
                try file.descriptor.read(count, at: offset)
            }
        } catch {
            throw error.bodyFilesError
        }
        guard bytes.count == count else {
            throw BodyFilesError(.inputOutput, "The file is shorter than the content that was written to it")
        }
        return bytes
    }

    private func untilMore(at offset: Int64) async {
        let token = spool.state.withLock { $0.readers.nextToken() }
        await withTaskCancellationHandler {
            await withContinuation { continuation in
                let isOver = spool.state.withLock { state in
                    guard !Task.isCancelled, case .later = state.intake.read(at: offset, maxBytes: 1) else {
                        return true
                    }
                    state.readers.add(token, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            spool.state.withLock { $0.readers.remove(token) }?.resume()
        }
    }
}

extension BodySpool {
    /// Returns a reader that follows the content; `nil` if the content has ended.
    package func follow() async -> SpoolReader? {
        switch state.withLock({ $0.intake.follow() }) {
        case nil: return nil
        case .memory: break
        case .file:
            await writer.perform { self.share() }
        }
        return SpoolReader(self)
    }
}

/// An open file of content that readers follow while it is written.
final class SharedFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}
