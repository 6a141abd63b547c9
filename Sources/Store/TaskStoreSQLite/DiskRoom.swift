import ErrandTaskStore
import GRDB

/// Handles a full disk for the writer: deletions may use the reserved space, additions are refused until there is space
/// again.
///
/// Additions are refused as soon as the database has no space for the content of the write-ahead log, even if the log's
/// file has unused space: a deletion needs the reserved space to move that content into the database.
///
/// Must be used on the writer's queue.
struct DiskRoom {
    /// The effect of a write on the disk usage.
    enum Effect: Sendable {
        case adds
        case changes
        case removes
    }

    /// The write-ahead log, as far as it concerns space.
    struct Log {
        /// Restarts the log without waiting, which frees space in it; returns true if it did.
        let restart: (Database) -> Bool
        /// Returns true if the last checkpoint failed because the database has no space for the content of the log.
        let isStuck: () -> Bool
        /// Repeats that checkpoint, without waiting for it.
        let retry: () -> Void
        /// Returns true if much was written since a checkpoint began, which may still fail.
        let isFarBehind: () -> Bool
    }

    private var ballast: Ballast
    private let log: Log
    private var isShort: Bool
    private var wasStuck = false
    private var hasMargin = true
    private var nextLook: ContinuousClock.Instant
    private var nextRestart: ContinuousClock.Instant

    /// The interval between two checks for free space, and between two restarts for writes that free none.
    private static let interval = Duration.seconds(1)
    /// The number of free pages inside the database that suffice to continue: 8 MiB.
    private static let enoughPages = 2048

    /// Creates the handler with the reserved space of a database.
    init(_ ballast: Ballast, log: Log) {
        self.ballast = ballast
        self.log = log
        isShort = !self.ballast.take()
        nextLook = .now.advanced(by: Self.interval)
        nextRestart = nextLook
    }

    /// Returns true if additions are refused, because they would use the space that deletions need.
    ///
    /// - Parameter frames: The number of log frames that the additions of a transaction will need, about.
    mutating func refusesAdditions(frames: Int, _ db: Database) -> Bool {
        if frames > CheckpointSchedule.maxFramesAhead || log.isFarBehind() {
            // The content is stored twice for a while: in the log and in the database.
            guard ballast.hasMargin(beside: 2 * frames * CheckpointSchedule.frameBytes) else { return true }
        }
        let isStuck = log.isStuck()
        let becameStuck = isStuck && !wasStuck
        wasStuck = isStuck
        guard isStuck || !ballast.isHeld else { return false }
        let now = ContinuousClock.now
        if becameStuck || now >= nextLook {
            nextLook = now.advanced(by: Self.interval)
            hasMargin = ballast.hasMargin()
            if isStuck {
                // Deletions have made room inside the database: with the reserve, the log fits into it.
                if !hasMargin, ballast.isHeld, hasFreePages(db) { _ = ballast.release() }
                log.retry()
            } else {
                isShort = !ballast.take() && !hasFreePages(db)
            }
        }
        // With free space the repeated checkpoint probably succeeds; if not, the next check refuses again.
        return isStuck ? !hasMargin : isShort
    }

    /// Frees space after a write failed on a full disk.
    ///
    /// - Returns: True if the write should be repeated.
    mutating func make(for effect: Effect, _ db: Database) -> Bool {
        switch effect {
        case .removes:
            let isReleased = ballast.release()
            isShort = true
            nextLook = .now.advanced(by: Self.interval)
            return log.restart(db) || isReleased
        case .adds, .changes:
            let now = ContinuousClock.now
            guard now >= nextRestart else { return false }
            nextRestart = now.advanced(by: Self.interval)
            return log.restart(db)
        }
    }

    private func hasFreePages(_ db: Database) -> Bool {
        do {
            return try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0 >= Self.enoughPages
        } catch {
            // It is not known that there is any space.
            return false
        }
    }
}
