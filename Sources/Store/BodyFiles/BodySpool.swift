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
    private let keeper: (any KeptBodyPlace)?
    private let durability: Durability
    private let minFreeBytes: Int64
    let writer: DispatchQueue
    private let logger: Logger?
    private let resume: @Sendable () -> Void
    let state: Mutex<State>
    /// The file, used only on the writer's thread.
    ///
    /// The lock satisfies the compiler and is never contended.
    private let file: Mutex<PartFile?>
    /// The file for readers that follow the content; `nil` without any.
    let shared = Mutex<SharedFile?>(nil)

    /// The content that is not in the file, and the readers that wait for more.
    struct State {
        var intake: SpoolIntake
        var readers = WaitingReaders()
        /// The SHA-256 of the complete content.
        var sha256: [UInt8]?

        /// Records that all content is stored.
        mutating func complete(_ sha256: [UInt8]) {
            self.sha256 = sha256
            intake.complete(failure: nil)
        }
    }

    init(
        place: BodyPlace, inlineLimitBytes: Int, maxBytes: Int64?, durability: Durability, minFreeBytes: Int64,
        writer: DispatchQueue, logger: Logger? = nil, keptAt keeper: (any KeptBodyPlace)? = nil,
        continuing kept: KeptBody? = nil, resume: @escaping @Sendable () -> Void
    ) {
        self.place = place
        self.keeper = keeper
        file = Mutex(kept?.take())
        self.durability = durability
        self.minFreeBytes = minFreeBytes
        self.writer = writer
        self.logger = logger
        self.resume = resume
        let intake = SpoolIntake(inlineLimitBytes: inlineLimitBytes, maxBytes: maxBytes, bytesInFile: kept?.size ?? 0)
        state = Mutex(State(intake: intake))
    }

    /// Appends bytes.
    ///
    /// May be called on any thread, one call at a time. Returns immediately.
    package func append(_ bytes: RawSpan) -> ReceiveDecision {
        let (decision, full, readers) = state.withLock { state in
            let (decision, full) = state.intake.append(bytes)
            return (decision, full, state.readers.take())
        }
        if let full { submit(full) }
        for reader in readers { reader.resume() }
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
        switch change({ $0.intake.finish() }) {
        case .failed(let error):
            await discard()
            throw error
        case .inMemory(let bytes):
            let sha256 = SHA256.hash(bytes)
            change { $0.complete(sha256) }
            return SpooledBody(size: Int64(bytes.count), sha256: sha256, location: .inline(bytes))
        case .inFile(let rest, let size):
            let result = await writer.perform {
                let result = self.publish(rest, size: size)
                self.change { state in
                    switch result {
                    case .success(let body): state.complete(body.sha256)
                    case .failure(let error): state.intake.complete(failure: error)
                    }
                }
                return result
            }
            return try result.get()
        }
    }

    /// Discards the content and removes the incomplete file.
    ///
    /// Has no effect after a finish. Returns once the file is removed, because the next spool of the same task writes
    /// to the same path.
    package func discard() async {
        guard change({ $0.intake.discard() }) else { return }
        await writer.perform { self.file.withLock { $0 = nil } }
    }

    /// Ends the content although it is incomplete, and keeps what there is of it.
    ///
    /// Content in memory is written to the file too, if the file has a place where it may be kept.
    ///
    /// - Returns: The file with all content so far, which another spool can continue; `nil` if there is none, or it could
    ///   not be written. The content is then discarded.
    package func keep() async -> KeptBody? {
        let (rest, size): ([UInt8], Int64)
        switch change({ $0.intake.finish() }) {
        case .failed:
            await discard()
            return nil
        case .inMemory(let bytes):
            (rest, size) = (keeper == nil ? [] : bytes, Int64(bytes.count))
        case .inFile(let bytes, let total):
            (rest, size) = (bytes, total)
        }
        return await writer.perform {
            let kept = size > 0 && self.keeper != nil ? self.takeFile(after: rest, size: size) : nil
            // Before the next buffer, which must not create the file again.
            self.change { $0.intake.complete(failure: .canceled) }
            if kept == nil { self.file.withLock { $0 = nil } }
            return kept
        }
    }

    /// Changes the state, and wakes the readers that wait.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, readers) = state.withLock { state in
            let result = body(&state)
            return (result, state.readers.take())
        }
        for reader in readers { reader.resume() }
        return result
    }

    // MARK: On the writer's thread

    private func submit(_ buffer: [UInt8]) {
        writer.async { self.write(buffer) }
    }

    private func write(_ buffer: [UInt8]) {
        let (isTaking, isFollowed) = state.withLock { ($0.intake.isTaking, $0.intake.isFollowed) }
        guard isTaking else {
            // The spool was discarded, or an earlier buffer failed.
            return
        }
        let failure = attempt { file throws(SystemFailure) in try file.append(buffer) }
        let error = failure.map { report($0) }
        if isFollowed { share() }
        let (next, mayResume) = change { state in
            error.map { state.intake.fail($0) } ?? state.intake.takeBack(buffer)
        }
        if let next { submit(next) }
        if mayResume { resume() }
    }

    private func publish(_ rest: [UInt8], size: Int64) -> Result<SpooledBody, TransferError> {
        // The write of an earlier buffer may have failed after the content ended.
        let (earlier, isFollowed) = state.withLock { ($0.intake.failure, $0.intake.isFollowed) }
        if let earlier { return .failure(earlier) }
        if let failure = attempt({ file throws(SystemFailure) in try file.append(rest) }) {
            return .failure(report(failure))
        }
        if isFollowed { share() }
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

    private func takeFile(after rest: [UInt8], size: Int64) -> KeptBody? {
        guard state.withLock({ $0.intake.failure }) == nil else { return nil }
        if let failure = attempt({ file throws(SystemFailure) in try file.append(rest) }) {
            _ = report(failure)
            return nil
        }
        return file.withLock { file in
            guard let taken = file.take() else { return nil }
            return KeptBody(taken, size: size)
        }
    }

    /// Opens the file for readers, unless that was done, or there is no file.
    ///
    /// If it cannot be opened now, the next call tries again; a reader that needs it fails.
    func share() {
        guard shared.withLock({ $0 == nil }) else { return }
        let descriptor = file.withLock { file in
            do throws(SystemFailure) {
                return try file?.duplicate()
            } catch {
                logger?.warning(
                    "A body file cannot be followed", metadata: ["file": "\(place.path)", "error": "\(error)"])
                return nil
            }
        }
        if let descriptor { shared.withLock { [file = SharedFile(descriptor)] in $0 = file } }
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
                var open =
                    if let open = file.take() {
                        open
                    } else {
                        try PartFile(place, at: keeper, minFreeBytes: minFreeBytes)
                    }
                try work(&open)
                file = consume open
                return nil
            } catch {
                return error
            }
        }
    }
}
