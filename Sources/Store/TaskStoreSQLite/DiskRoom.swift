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
        /// Adds nothing, and is refused when an addition would be.
        case asks
        case changes
        case removes

        /// True if the write is refused while there is no space for additions.
        var needsSpace: Bool { self == .adds || self == .asks }
    }

    private let checkpointer: Checkpointer
    private var ballast: Ballast
    private var isShort: Bool
    /// True if the last addition that was tried found no space.
    private var lastAdditionFailed = false
    private var nextLook: ContinuousClock.Instant
    private var nextRestart: ContinuousClock.Instant

    /// The interval between two checks for free space, and between two restarts for writes that free none.
    private static let interval = Duration.seconds(1)
    /// The number of free pages inside the database that suffice to continue: 8 MiB.
    private static let enoughPages = 2048

    /// Creates the handler with the reserved space of a database.
    init(_ ballast: Ballast, checkpointer: Checkpointer) {
        self.ballast = ballast
        self.checkpointer = checkpointer
        isShort = !self.ballast.take()
        nextLook = .now.advanced(by: Self.interval)
        nextRestart = nextLook
    }

    /// Returns true if additions are refused, because they would use the space that deletions need.
    ///
    /// - Parameter frames: The number of log frames that the additions of a transaction will need, about.
    mutating func refusesAdditions(frames: Int, _ db: Database) -> Bool {
        if frames > CheckpointSchedule.maxFramesAhead || checkpointer.isFarBehind {
            // The content is stored twice for a while: in the log and in the database.
            guard ballast.hasMargin(beside: 2 * frames * CheckpointSchedule.frameBytes) else { return true }
        }
        if checkpointer.isOutOfSpace { return refusesWhileLogIsStuck(db) }
        guard !ballast.isHeld else { return false }
        if Self.isDue(&nextLook) { isShort = !ballast.take() && !hasFreePages(db) }
        return isShort
    }

    /// True if additions probably find no space although they are not refused.
    ///
    /// The write of a question is smaller than that of an addition, so its own success does not prove that there is
    /// space.
    var expectsNoSpace: Bool { lastAdditionFailed && !ballast.hasSpace() }

    /// Records that additions were stored, or found no space.
    mutating func additionsEnded(foundSpace: Bool) {
        lastAdditionFailed = !foundSpace
    }

    /// Repeats the checkpoint that found no space for the content of the log.
    private mutating func refusesWhileLogIsStuck(_ db: Database) -> Bool {
        let hasSpace = ballast.hasSpace()
        if Self.isDue(&nextLook) {
            // Deletions have made room inside the database: with the reserve, the log fits into it.
            if !hasSpace, ballast.isHeld, hasFreePages(db) { _ = ballast.release() }
            checkpointer.retryCheckpoint()
        }
        // With free space the repeated checkpoint probably succeeds; if not, the next addition is refused again.
        return !hasSpace
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
            return checkpointer.restartLogNow(db) || isReleased
        case .adds, .asks, .changes:
            return Self.isDue(&nextRestart) && checkpointer.restartLogNow(db)
        }
    }

    /// Returns true at most once in each ``interval``.
    private static func isDue(_ next: inout ContinuousClock.Instant) -> Bool {
        let now = ContinuousClock.now
        guard now >= next else { return false }
        next = now.advanced(by: interval)
        return true
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
