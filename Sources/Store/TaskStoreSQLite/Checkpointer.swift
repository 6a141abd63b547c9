import Dispatch
import ErrandLocking
import ErrandLogs
import ErrandTaskStore
import GRDB
import Glibc
import Logging

/// Moves the content of the write-ahead log into the database (a checkpoint), concurrently with the writer.
///
/// | step | where | when |
/// | --- | --- | --- |
/// | passive checkpoint | on its own connection | every ``CheckpointSchedule/framesBetween`` frames |
/// | the log restarts | on the writer, between two transactions | the log is long, and no list is being read |
///
/// Neither step waits: a checkpoint proceeds as far as the oldest snapshot that is being read, and is repeated later
/// with growing delays. The gateway's own lists are paused while the log restarts; if one that is being read takes long,
/// that is tried again later. A long-running reader of another process lets the log grow, which is logged.
final class Checkpointer: Sendable {
    private let database: DatabaseQueue
    private let writer: DatabaseQueue?
    private let lists: ReaderPool?
    private let busyTimeoutMilliseconds: Int
    private let logger: Logger
    private let probe: SpaceProbe
    private let state = Mutex(State())

    private struct State {
        var schedule = CheckpointSchedule()
        var failure: TaskStoreError?
        /// True while a repetition of a failed checkpoint waits or runs.
        var isRetryingCheckpoint = false
        /// True while a repetition of a failed restart of the log waits.
        var isRestartRetryScheduled = false
        /// True if the connections are about to be closed.
        var isFinished = false
    }

    /// Takes ownership of a connection.
    ///
    /// - Parameters:
    ///   - writer: The writer's connection, which is notified when the log can restart.
    ///   - lists: The readers with long-lasting snapshots.
    ///   - busyTimeoutMilliseconds: The timeout of the writer's connection, which a restart of the log sets to zero.
    init(
        _ database: DatabaseQueue, writer: DatabaseQueue? = nil, lists: ReaderPool? = nil,
        busyTimeoutMilliseconds: Int = StoreOpening.defaultBusyTimeoutMilliseconds, logger: Logger = .discarding
    ) {
        self.database = database
        self.writer = writer
        self.lists = lists
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.logger = logger
        probe = SpaceProbe(database: database.path)
    }

    /// The error of the last checkpoint.
    ///
    /// The log grows until one succeeds.
    var failure: TaskStoreError? {
        state.withLock { $0.failure }
    }

    /// True if the last checkpoint failed because the database has no space for the content of the log.
    var isOutOfSpace: Bool {
        failure?.code == .diskFull
    }

    /// The approximate content of the log, in bytes.
    var logBytes: Int {
        state.withLock { $0.schedule.frames } * CheckpointSchedule.frameBytes
    }

    /// True if a checkpoint is running and much was written since it began.
    var isFarBehind: Bool {
        state.withLock { $0.schedule.isFarBehind }
    }

    /// Checkpoints a long log that an earlier process, or a migration, has left.
    ///
    /// Its length is known afterwards, so that the log restarts with the next write. Blocks until that is done; must be
    /// called before the first write.
    func checkpointLeftovers() {
        var status = stat()
        guard stat("\(database.path)-wal", &status) == 0,
            Int(status.st_size) > CheckpointSchedule.framesBetween * CheckpointSchedule.frameBytes
        else { return }
        // Known also if the checkpoint fails, so that the end of the process does not wait for all of it.
        let frames = Int(status.st_size) / CheckpointSchedule.frameBytes
        state.withLock { $0.schedule.didFind(leftFrames: frames) }
        database.inDatabase { checkpoint($0) }
    }

    /// Repeats a failed checkpoint, and does not wait for it.
    func retryCheckpoint() {
        let begins = state.withLock { state in
            guard !state.isRetryingCheckpoint else { return false }
            state.isRetryingCheckpoint = true
            return true
        }
        guard begins else { return }
        database.asyncWriteWithoutTransaction { db in
            self.checkpoint(db)
            self.state.withLock { $0.isRetryingCheckpoint = false }
        }
    }

    /// Repeats a failed checkpoint, because the disk may have space again and no write may come for long.
    ///
    /// - Returns: The error; `nil` if it succeeds.
    func retry() async -> TaskStoreError? {
        guard failure != nil else { return nil }
        return await withContinuation { continuation in
            database.asyncWriteWithoutTransaction { db in
                self.checkpoint(db)
                continuation.resume(returning: self.failure)
            }
        }
    }

    /// Records that the writer begins a transaction.
    func willWrite() {
        state.withLock { $0.schedule.willWrite() }
    }

    /// Records that the writer has appended about the given number of frames: none if its commits changed nothing.
    ///
    /// Must be called on the writer's queue, after ``willWrite()``.
    func didWrite(frames: Int, _ writer: Database) {
        perform(state.withLock { $0.schedule.didWrite(frames: frames, at: .now) }, writer)
    }

    private func perform(_ step: CheckpointSchedule.Step, _ writer: Database?) {
        switch step {
        case .none:
            break
        case .checkpoint:
            database.asyncWriteWithoutTransaction { self.checkpoint($0) }
        case .quiesce(let patience, let number):
            guard let lists else { return listsAreQuiet() }
            lists.quiesce { self.listsAreQuiet() }
            if let patience { release(lists, after: patience, number) }
        case .restartLog:
            if let writer { restartLog(writer) }
        }
    }

    /// Lets lists continue if one of them is still being read after a time: the others wait for it.
    private func release(_ lists: ReaderPool, after patience: Duration, _ number: Int) {
        let milliseconds = Int(patience / .milliseconds(1))
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            guard let self, state.withLock({ $0.schedule.listsStayBusy(number, at: .now) }) else { return }
            lists.release()
        }
    }

    private func listsAreQuiet() {
        perform(state.withLock { $0.schedule.listsAreQuiet() }, nil)
    }

    /// True if the connections should be closed without moving the rest of the log into the database, because that
    /// takes long; ``checkpointLeftovers()`` of the next start does it.
    var leavesRest: Bool {
        state.withLock { $0.schedule.leavesRest }
    }

    /// Begins no more checkpoints, and waits for a running one, which ends early if much of the log is left.
    func finish() async {
        let leavesRest = state.withLock { state in
            state.isFinished = true
            return state.schedule.leavesRest
        }
        // The frames that it has moved stay in the log too, and the next checkpoint moves them again.
        if leavesRest { database.interrupt() }
        await withContinuation { continuation in
            database.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    /// Runs a passive checkpoint, on the queue of its own connection.
    private func checkpoint(_ db: Database) {
        let (begins, mayBeCheckpointed, isRestartingLog) = state.withLock { state in
            guard !state.isFinished else { return (false, false, false) }
            state.schedule.beginCheckpoint()
            return (true, state.schedule.mayBeCheckpointed, state.schedule.isRestartingLog)
        }
        guard begins else { return }
        if mayBeCheckpointed {
            // An earlier failure was that of another log. A restart that is under way notes its own result.
            if !isRestartingLog { note(nil) }
            return follow(state.withLock { $0.schedule.didOmitCheckpoint(at: .now) })
        }
        do {
            let log = try db.checkpoint(.passive)
            note(nil)
            let progress = CheckpointSchedule.Progress(
                frames: log.walFrameCount, checkpointed: log.checkpointedFrameCount)
            follow(state.withLock { $0.schedule.didCheckpoint(progress, at: .now) })
        } catch {
            // The end has interrupted it, which is no fault of the disk.
            guard !state.withLock({ $0.isFinished }) else { return }
            note(TaskStoreError(error, probe: probe))
            if state.withLock({ $0.schedule.checkpointFailed(at: .now) }) { lists?.release() }
        }
    }

    private func follow(_ outcome: CheckpointSchedule.Outcome) {
        tell(outcome.notice)
        if outcome.releases { lists?.release() }
        if let pause = outcome.retry { retryLater(after: pause) }
        // A busy writer gets to it earlier, between two transactions.
        if outcome.isReady { restartLogWhenIdle() }
    }

    /// Records the result of a checkpoint, and logs the first failure and the first success after it.
    private func note(_ failure: TaskStoreError?) {
        let former = state.withLock { state in
            defer { state.failure = failure }
            return state.failure
        }
        if former == nil, let failure {
            logger.warning(
                "Write-ahead log cannot be moved into the database",
                metadata: ["error": "\(failure.debugDescription)"])
        } else if former != nil, failure == nil {
            logger.notice("Write-ahead log is moved into the database again")
        }
    }

    private func retryLater(after pause: Duration) {
        Self.queue.asyncAfter(deadline: .now() + .seconds(Int(pause.components.seconds))) { [weak self] in
            // The retry also runs if nothing is written any more, so that the log does not stay long.
            guard let self else { return }
            database.asyncWriteWithoutTransaction { db in self.checkpoint(db) }
        }
    }

    private static let queue = DispatchQueue(label: "errand.store.checkpoint-pauses")

    /// Checkpoints the rest, and restarts the log if no connection reads from it.
    ///
    /// Must be called on the writer's queue. The rest is what was written since the last checkpoint on the other
    /// connection.
    private func restartLog(_ writer: Database) {
        do {
            try performRestart(writer)
        } catch {
            let isBusy = Self.isBusy(error)
            let (givesUp, triesAgain) = state.withLock { state in
                let givesUp = state.schedule.didNotRestart(mayTryAgain: isBusy, at: .now)
                guard state.schedule.isHolding, !state.isRestartRetryScheduled else { return (givesUp, false) }
                state.isRestartRetryScheduled = true
                return (givesUp, true)
            }
            if givesUp { lists?.release() }
            if triesAgain { retryRestart() }
        }
    }

    /// Restarts the log after a moment, also if nothing is written any more: lists wait for it.
    private func retryRestart() {
        Self.queue.asyncAfter(deadline: .now() + Self.busyPause) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isRestartRetryScheduled = false }
            restartLogWhenIdle()
        }
    }

    /// The pause after a connection that reads from the log has prevented its restart.
    private static let busyPause = DispatchTimeInterval.milliseconds(20)

    private func restartLogWhenIdle() {
        writer?.asyncWriteWithoutTransaction { db in
            self.perform(self.state.withLock { $0.schedule.writerIsIdle() }, db)
        }
    }

    /// Restarts the log because the disk is full, so that the next write needs no space.
    ///
    /// Must be called on the writer's queue. A checkpoint on the other connection holds the lock that the restart needs,
    /// so this waits for its end; it waits for the disk only, and never for the writer.
    ///
    /// - Returns: `false` if a reader prevented it.
    func restartLogNow(_ writer: Database) -> Bool {
        do {
            try database.inDatabase { _ in try performRestart(writer) }
            return true
        } catch {
            // The operation that needs the space fails, and its caller gets that error.
            return false
        }
    }

    /// Restarts the log, and records the result.
    ///
    /// A failure is noted like that of a passive checkpoint, unless another connection only prevented it: the log is
    /// not in the database.
    private func performRestart(_ writer: Database) throws {
        guard !state.withLock({ $0.isFinished }) else { throw TaskStoreError.closed }
        do {
            // With a timeout of zero the checkpoint does not wait for readers.
            try writer.execute(sql: "PRAGMA busy_timeout = 0")
            defer { restoreTimeout(writer) }
            state.withLock { $0.schedule.willRestartLog() }
            _ = try writer.checkpoint(.restart)
        } catch {
            let isBusy = Self.isBusy(error)
            // Until the failure is noted, a checkpoint that is omitted because of the restart clears none.
            if !isBusy { note(TaskStoreError(error, probe: probe)) }
            state.withLock { $0.schedule.restartFailed(mayHaveCheckpointed: isBusy) }
            throw error
        }
        note(nil)
        tell(state.withLock { $0.schedule.didRestartLog() })
        lists?.release()
    }

    /// Returns true if another connection prevented a checkpoint, which may have covered the log nevertheless.
    private static func isBusy(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
    }

    private func restoreTimeout(_ writer: Database) {
        do {
            try writer.execute(sql: "PRAGMA busy_timeout = \(busyTimeoutMilliseconds)")
        } catch {
            // The writer would fail immediately instead of waiting, which callers can handle.
            logger.warning("Failed to set the writer's timeout", metadata: ["error": "\(error)"])
        }
    }

    private func tell(_ notice: CheckpointSchedule.Notice?) {
        switch notice {
        case .grows(let bytes, let age):
            logger.warning(
                "Write-ahead log grows because a reader keeps an old snapshot; end the reader before the disk is full",
                metadata: [
                    "wal_bytes": .stringConvertible(bytes), "seconds": .stringConvertible(age.components.seconds),
                ])
        case .logRestarted:
            logger.notice("Write-ahead log restarted")
        case nil:
            break
        }
    }
}
