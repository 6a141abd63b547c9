import Dispatch
import ErrandCryptography
import ErrandFiles
import ErrandLocking
import ErrandTaskStore
package import ErrandTransfer
import Logging

/// Receives the content of one attempt: in memory while it is small, otherwise through a few buffers into a file.
///
/// The transport's thread calls ``append(_:)``, which never waits for the disk: it fills a buffer of 256 KiB, and a
/// writer thread hashes and writes full buffers. While two buffers are being written and the next is full, the result
/// is ``ReceiveDecision/pause``. So at most three buffers are in memory, or as much as the inline limit allows.
///
/// A spool that is neither finished nor discarded removes its incomplete file when it is deinitialized. One whose file
/// cannot be written logs the failure once.
package final class BodySpool: Sendable {
    private let place: BodyPlace
    private let durability: Durability
    private let minFreeBytes: Int64
    private let writer: DispatchQueue
    private let logger: Logger?
    private let resume: @Sendable () -> Void
    private let intake: Mutex<SpoolIntake>
    /// The file, used only on the writer's thread.
    ///
    /// The lock satisfies the compiler and is never contended.
    private let file = Mutex<PartFile?>(nil)

    init(
        place: BodyPlace, inlineLimitBytes: Int, maxBytes: Int64?, durability: Durability, minFreeBytes: Int64,
        writer: DispatchQueue, logger: Logger? = nil, resume: @escaping @Sendable () -> Void
    ) {
        self.place = place
        self.durability = durability
        self.minFreeBytes = minFreeBytes
        self.writer = writer
        self.logger = logger
        self.resume = resume
        intake = Mutex(SpoolIntake(inlineLimitBytes: inlineLimitBytes, maxBytes: maxBytes))
    }

    /// Appends bytes.
    ///
    /// May be called on any thread, one call at a time. Returns immediately.
    package func append(_ bytes: RawSpan) -> ReceiveDecision {
        let (decision, full) = intake.withLock { $0.append(bytes) }
        if let full { submit(full) }
        return decision
    }

    /// Appends bytes, as ``append(_:)``.
    package func append(bytes: [UInt8]) -> ReceiveDecision {
        append(bytes.span.bytes)
    }

    /// Ends the content and stores it durably.
    ///
    /// Returns once the file has its final name. With ``Durability/full`` the file is also on the medium by then.
    ///
    /// - Throws: The error that stopped the spool: `body_too_large`, `disk_full`, `cannot_write`; `canceled` after a
    ///   discard or another finish.
    package func finish() async throws(TransferError) -> SpooledBody {
        switch intake.withLock({ $0.finish() }) {
        case .failed(let error):
            await discard()
            throw error
        case .inMemory(let bytes):
            return SpooledBody(size: Int64(bytes.count), sha256: SHA256.hash(bytes), location: .inline(bytes))
        case .inFile(let rest, let size):
            let result = await withContinuation { continuation in
                writer.async { continuation.resume(returning: self.publish(rest, size: size)) }
            }
            return try result.get()
        }
    }

    /// Discards the content and removes the incomplete file.
    ///
    /// Has no effect after a finish. Returns once the file is removed, because the next spool of the same task writes
    /// to the same path.
    package func discard() async {
        guard intake.withLock({ $0.discard() }) else { return }
        await withContinuation { continuation in
            writer.async {
                self.file.withLock { $0 = nil }
                continuation.resume()
            }
        }
    }

    // MARK: On the writer's thread

    private func submit(_ buffer: [UInt8]) {
        writer.async { self.write(buffer) }
    }

    private func write(_ buffer: [UInt8]) {
        guard intake.withLock({ $0.isTaking }) else {
            // The spool was discarded, or an earlier buffer failed.
            return
        }
        let failure = attempt { file throws(SystemFailure) in try file.append(buffer) }
        let error = failure.map { report($0) }
        let (next, mayResume) = intake.withLock { intake in
            error.map { intake.fail($0) } ?? intake.takeBack(buffer)
        }
        if let next { submit(next) }
        if mayResume { resume() }
    }

    private func publish(_ rest: [UInt8], size: Int64) -> Result<SpooledBody, TransferError> {
        // The write of an earlier buffer may have failed after the content ended.
        if let error = intake.withLock({ $0.failure }) { return .failure(error) }
        if let failure = attempt({ file throws(SystemFailure) in try file.append(rest) }) {
            return .failure(report(failure))
        }
        guard let complete = file.withLock({ $0.take() }) else {
            return .failure(.canceled)
        }
        do throws(SystemFailure) {
            let sha256 = try complete.publish(durability)
            return .success(SpooledBody(size: size, sha256: sha256, location: .file(place.path)))
        } catch {
            return .failure(report(error))
        }
    }

    /// Logs the failure that ends the spool, and returns it as the error of the transfer.
    private func report(_ failure: SystemFailure) -> TransferError {
        logger?.warning(
            "A body file could not be written", metadata: ["file": "\(place.path)", "error": "\(failure)"])
        return failure.transferError
    }

    /// Performs an operation on the file, which the first call creates.
    ///
    /// Removes the file if the operation fails.
    private func attempt(_ work: (inout PartFile) throws(SystemFailure) -> Void) -> SystemFailure? {
        file.withLock { file in
            do throws(SystemFailure) {
                var open = if let open = file.take() { open } else { try PartFile(place, minFreeBytes: minFreeBytes) }
                try work(&open)
                file = consume open
                return nil
            } catch {
                return error
            }
        }
    }
}
