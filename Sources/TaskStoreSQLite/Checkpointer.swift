import GRDB
import Locking
import TaskStore

/// Moves what the write-ahead log holds into the database, beside the writer and not on its time.
///
/// A passive checkpoint on a connection of its own runs after so many pages. While writes never pause it comes too
/// late each time to let the log begin anew; a log that has grown to its limit is therefore finished by the writer
/// itself, between two transactions, which has little left to move.
final class Checkpointer: Sendable {
    private let database: DatabaseQueue
    private let state = Mutex(State())

    /// Frames, of a page each, between two checkpoints: about 16 MiB.
    private static let framesBetween = 4096
    /// Frames in the log at which the writer itself moves them: about 64 MiB.
    private static let maxFrames = 16 * 1024

    private struct State {
        /// The frames in the log: what the last checkpoint has found, and an estimate of what came since.
        var frames = 0
        var framesSinceStart = 0
        var isRunning = false
        var failure: TaskStoreError?

        mutating func add(_ written: Int) -> Step {
            frames += written
            framesSinceStart += written
            if frames > Checkpointer.maxFrames {
                frames = 0
                framesSinceStart = 0
                return .byWriter
            }
            guard !isRunning, framesSinceStart > Checkpointer.framesBetween else { return .none }
            isRunning = true
            framesSinceStart = 0
            return .beside
        }
    }

    private enum Step {
        case none
        case beside
        case byWriter
    }

    /// Takes over a connection.
    init(_ database: DatabaseQueue) {
        self.database = database
    }

    /// Why the last checkpoint failed: the log grows until one succeeds.
    var failure: TaskStoreError? {
        state.withLock { $0.failure }
    }

    /// Tries again what has failed, as the disk may have room again and nobody may write for long.
    ///
    /// - Returns: Why it fails still; `nil` when it does not.
    func retry() async -> TaskStoreError? {
        guard failure != nil else { return nil }
        return await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { db in
                self.run(.passive, db)
                continuation.resume(returning: self.failure)
            }
        }
    }

    /// The writer has committed about so many frames.
    ///
    /// On the writer's queue.
    func didWrite(frames: Int, _ writer: Database) {
        switch state.withLock({ $0.add(frames) }) {
        case .none:
            break
        case .beside:
            database.asyncWriteWithoutTransaction { db in
                self.run(.passive, db)
                self.state.withLock { $0.isRunning = false }
            }
        case .byWriter:
            run(.restart, writer)
        }
    }

    /// Waits for a checkpoint that is under way.
    func finish() async {
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    private func run(_ kind: Database.CheckpointMode, _ db: Database) {
        do {
            let log = try db.checkpoint(kind)
            state.withLock { state in
                // The log goes on even when all of it was moved, if the writer has added to it meanwhile.
                state.frames = (kind == .restart ? 0 : log.walFrameCount) + state.framesSinceStart
                state.failure = nil
            }
        } catch {
            state.withLock { $0.failure = TaskStoreError(error) }
        }
    }
}
