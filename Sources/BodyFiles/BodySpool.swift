import Digest
import Dispatch
import Locking
import TaskStore
package import Transfer

/// Takes in the content of one attempt: in memory while it is small, else through a few buffers into a file.
///
/// ``append(_:)`` is called on the transport's thread and never waits for the disk: what it takes goes into a buffer
/// of 256 KiB, and full buffers go to a thread that hashes and writes them. While two are there and the next is full,
/// the answer is ``ReceiveDecision/pause``. So at most three buffers are in memory, or what the inline limit allows.
///
/// A spool that is neither finished nor discarded removes its incomplete file when it goes.
package final class BodySpool: Sendable {
    private let place: BodyPlace
    private let durability: Durability
    private let writer: DispatchQueue
    private let resume: @Sendable () -> Void
    private let intake: Mutex<SpoolIntake>
    /// Touched on the writer's thread; the lock is for the compiler and is never contended.
    private let file = Mutex<PartFile?>(nil)

    init(
        place: BodyPlace, inlineLimitBytes: Int, maxBytes: Int64?, durability: Durability, writer: DispatchQueue,
        resume: @escaping @Sendable () -> Void
    ) {
        self.place = place
        self.durability = durability
        self.writer = writer
        self.resume = resume
        intake = Mutex(SpoolIntake(inlineLimitBytes: inlineLimitBytes, maxBytes: maxBytes))
    }

    /// Takes bytes in.
    ///
    /// One call at a time, any thread; returns at once.
    package func append(_ bytes: RawSpan) -> ReceiveDecision {
        let (decision, full) = intake.withLock { $0.append(bytes) }
        if let full { submit(full) }
        return decision
    }

    /// Ends the content and makes it last: returns when the file has its name (and is on the medium, if the files are
    /// kept with ``Durability/full``).
    ///
    /// - Throws: What stopped the spool: `body_too_large`, `disk_full`, `cannot_write`; `canceled` after a discard or
    ///   another finish.
    package func finish() async throws(TransferError) -> SpooledBody {
        switch intake.withLock({ $0.finish() }) {
        case .failed(let error):
            await discard()
            throw error
        case .inMemory(let bytes):
            return SpooledBody(size: Int64(bytes.count), sha256: SHA256.hash(bytes), location: .inline(bytes))
        case .inFile(let rest, let size):
            let result = await withCheckedContinuation { continuation in
                writer.async { continuation.resume(returning: self.publish(rest, size: size)) }
            }
            return try result.get()
        }
    }

    /// Gives the content up and removes what was written of it.
    ///
    /// Does nothing after a finish.
    ///
    /// - Returns: When it is removed: another spool of the same task writes to the same place.
    package func discard() async {
        guard intake.withLock({ $0.discard() }) else { return }
        await withCheckedContinuation { continuation in
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
            // Discarded, or failed with an earlier buffer.
            return
        }
        let failure = attempt { file throws(SystemFailure) in try file.append(buffer) }
        let (next, mayResume) = intake.withLock { intake in
            failure.map { intake.fail($0.transferError) } ?? intake.takeBack(buffer)
        }
        if let next { submit(next) }
        if mayResume { resume() }
    }

    private func publish(_ rest: [UInt8], size: Int64) -> Result<SpooledBody, TransferError> {
        // A write of an earlier buffer may have failed since the content ended.
        if let error = intake.withLock({ $0.failure }) { return .failure(error) }
        if let failure = attempt({ file throws(SystemFailure) in try file.append(rest) }) {
            return .failure(failure.transferError)
        }
        guard let complete = file.withLock({ $0.take() }) else {
            return .failure(.canceled)
        }
        do throws(SystemFailure) {
            let sha256 = try complete.publish(durability)
            return .success(SpooledBody(size: size, sha256: sha256, location: .file(place.path)))
        } catch {
            return .failure(error.transferError)
        }
    }

    /// Does something with the file, which is created the first time, and removed when that fails.
    private func attempt(_ work: (inout PartFile) throws(SystemFailure) -> Void) -> SystemFailure? {
        file.withLock { file in
            do throws(SystemFailure) {
                var open = if let open = file.take() { open } else { try PartFile(place) }
                try work(&open)
                file = consume open
                return nil
            } catch {
                return error
            }
        }
    }
}
