/// Decides when a checkpoint of the write-ahead log runs, and when the log restarts: a value without I/O.
struct CheckpointSchedule {
    /// The number of frames (one page each) between two checkpoints: about 16 MiB.
    static let framesBetween = 4096
    /// The number of frames in the log at which it should restart: about 40 MiB.
    static let maxFrames = 10 * 1024
    /// The number of frames at which the writer checkpoints all of them itself, unless a reader prevents it: about
    /// 64 MiB.
    static let framesForWriter = 16 * 1024
    /// The number of frames at which a log that cannot restart is reported: about 256 MiB.
    static let framesToTell = 64 * 1024
    /// The number of frames after the last checkpoint below which lists are paused, because little is left to
    /// checkpoint: about 8 MiB.
    static let maxRest = 2048
    /// The number of frames that may be written during a checkpoint before space on the disk matters: about 4 MiB.
    ///
    /// Together with ``framesBetween`` less than ``Ballast/maxBytes``: a full disk must not stop deletions.
    static let maxFramesAhead = 1024
    /// The number of frames outside of the database beyond which the end of the process leaves them to the next start:
    /// about 32 MiB.
    ///
    /// Twice ``framesBetween``: a checkpoint that is under way moves so many, and as many may be written beside it.
    /// More of them are left by a reader that has prevented checkpoints, or by a disk that fails.
    static let maxFramesAtEnd = 2 * framesBetween
    /// The size of a frame in bytes: a page and its header.
    static let frameBytes = 4096 + 24
    /// The delays after a checkpoint that made little progress.
    static let pauses = (shortest: Duration.seconds(1), longest: Duration.seconds(32))
    /// The number of tries of the writer to restart the log, while no list is being read.
    static let maxTries = 16

    /// The next action.
    enum Step: Equatable {
        case none
        /// Runs a passive checkpoint on the other connection.
        case checkpoint
        /// Pauses new lists; after `patience` for those that are being read, ``listsStayBusy(_:at:)`` follows with the
        /// number. `nil` waits for them.
        case quiesce(patience: Duration?, number: Int)
        /// Lets the writer checkpoint the rest and restart the log.
        case restartLog
    }

    /// The result of a passive checkpoint.
    struct Progress: Equatable {
        /// The number of frames in the log.
        let frames: Int
        /// The number of those frames that are in the database.
        let checkpointed: Int
    }

    /// A message for operators.
    enum Notice: Equatable {
        case grows(bytes: Int, age: Duration)
        case logRestarted
    }

    private enum Quiescence: Equatable {
        case nothing
        case asked
        case quiet(tries: Int)
    }

    /// The number of frames in the log: the result of the last checkpoint, and an estimate of the frames since then.
    private(set) var frames = 0
    private var framesSinceCheckpoint = 0
    /// The number of frames that are not in the database, about; those that are written during a checkpoint count twice
    /// until the next one.
    private(set) var framesOutside = 0
    private var isCheckpointing = false
    /// True if the database may have the whole log, because no write that began after the last checkpoint has ended,
    /// or because a restart of the log is under way.
    ///
    /// A checkpoint is omitted then. With SQLite before 3.51.3 it could damage the database: if it begins while a
    /// commit writes to the start of a log that was checkpointed completely, later checkpoints can omit frames (the
    /// WAL-reset bug, https://sqlite.org/wal.html). If the value is false, that commit is over.
    var mayBeCheckpointed: Bool { wasCheckpointed || isRestartingLog }
    /// True if the last completed checkpoint may have covered the whole log, and no write that began later has ended.
    private var wasCheckpointed = false
    /// True if a restart of the log is under way, which may have checkpointed it already.
    private(set) var isRestartingLog = false
    /// True if a checkpoint was omitted, which the next write has to make up for.
    private var wasCheckpointOmitted = false
    /// The value of ``mayBeCheckpointed`` when the current write began.
    private var wasCheckpointedAtBegin = false
    private var pause: Duration?
    private var quiescence = Quiescence.nothing
    /// The number of times that lists were asked to pause.
    private var timesAsked = 0
    private var quiesceAgainAt: ContinuousClock.Instant?
    private var quiescePause = Self.pauses.shortest
    private var nextForWriter = Self.framesForWriter
    private var longSince: ContinuousClock.Instant?
    private var nextToTell = Self.framesToTell

    /// True if a checkpoint is running and more than ``maxFramesAhead`` frames were written since it began.
    var isFarBehind: Bool { isCheckpointing && framesSinceCheckpoint > Self.maxFramesAhead }

    /// True if the end of the process does not wait until the rest of the log is in the database.
    var leavesRest: Bool { framesOutside > Self.maxFramesAtEnd }

    /// Records the frames of a log that an earlier process has left, until a checkpoint has told how many there are.
    mutating func didFind(leftFrames: Int) {
        frames = leftFrames
        framesOutside = leftFrames
    }

    /// Records that the writer begins a transaction.
    mutating func willWrite() {
        wasCheckpointedAtBegin = mayBeCheckpointed
    }

    /// Records that the writer has appended about the given number of frames: none if its commits changed nothing.
    mutating func didWrite(frames written: Int, at now: ContinuousClock.Instant) -> Step {
        if wasCheckpointedAtBegin, written > 0 { wasCheckpointed = false }
        frames += written
        framesSinceCheckpoint += written
        framesOutside += written
        guard !isCheckpointing else { return .none }
        if wasCheckpointOmitted, !mayBeCheckpointed {
            beginCheckpoint()
            return .checkpoint
        }
        if frames >= nextForWriter, pause == nil, quiescence == .nothing {
            // Writes are faster than the concurrent checkpoints.
            nextForWriter = frames + Self.framesBetween
            return .restartLog
        }
        if case .quiet = quiescence { return .restartLog }
        let isLong = frames > Self.maxFrames
        let mayQuiesce = quiescence == .nothing && quiesceAgainAt.map { $0 <= now } ?? true
        if isLong, framesSinceCheckpoint <= Self.maxRest, mayQuiesce {
            quiescence = .asked
            timesAsked += 1
            return .quiesce(patience: quiescePatience, number: timesAsked)
        }
        guard framesSinceCheckpoint > (isLong ? Self.maxRest : Self.framesBetween) else { return .none }
        beginCheckpoint()
        return .checkpoint
    }

    /// Records that the writer has nothing to write.
    func writerIsIdle() -> Step {
        guard case .quiet = quiescence, !isCheckpointing else { return .none }
        return .restartLog
    }

    /// True if lists are paused until the log restarts.
    var isHolding: Bool { if case .quiet = quiescence { true } else { false } }

    /// Records that no list is being read, and none begins.
    ///
    /// The frames that their snapshots blocked are checkpointed first.
    mutating func listsAreQuiet() -> Step {
        guard quiescence == .asked else { return .none }
        quiescence = .quiet(tries: 0)
        beginCheckpoint()
        return .checkpoint
    }

    /// The longest time for lists to become quiet: a tenth of the time until the next try.
    ///
    /// After several tries `nil`: all lists wait for the slowest, at most for their time limit, so that they cannot
    /// prevent the restart of the log for ever.
    private var quiescePatience: Duration? { quiescePause < Self.pauses.longest ? quiescePause / 10 : nil }

    /// Records that lists were still being read when the patience had ended.
    ///
    /// - Parameter number: That of the step.
    /// - Returns: True if lists may continue.
    mutating func listsStayBusy(_ number: Int, at now: ContinuousClock.Instant) -> Bool {
        guard quiescence == .asked, number == timesAsked else { return false }
        holdLater(at: now)
        return true
    }

    /// Records that a passive checkpoint begins, which may be a retry.
    mutating func beginCheckpoint() {
        isCheckpointing = true
        framesSinceCheckpoint = 0
    }

    /// The consequences of a checkpoint.
    struct Outcome: Equatable {
        /// The message for operators, if any.
        var notice: Notice?
        /// The delay before the next try, if any.
        var retry: Duration?
        /// True if lists may continue.
        var releases = false
        /// True if the log can restart as soon as the writer is idle.
        var isReady = false
    }

    /// Records the result of a passive checkpoint.
    mutating func didCheckpoint(_ progress: Progress, at now: ContinuousClock.Instant) -> Outcome {
        wasCheckpointed = progress.frames == progress.checkpointed
        wasCheckpointOmitted = false
        frames = max(progress.frames, 0) + framesSinceCheckpoint
        framesOutside = max(progress.frames - progress.checkpointed, 0) + framesSinceCheckpoint
        if frames <= Self.maxFrames { longSince = nil } else { longSince = longSince ?? now }
        // A reader blocks it, because the writer has added less than that meanwhile.
        guard progress.frames - progress.checkpointed > Self.framesBetween else {
            pause = nil
            isCheckpointing = false
            return Outcome(notice: notice(at: now), isReady: writerIsIdle() == .restartLog)
        }
        let next = pause.map { min($0 * 2, Self.pauses.longest) } ?? Self.pauses.shortest
        pause = next
        return Outcome(notice: notice(at: now), retry: next, releases: stopHolding(at: now))
    }

    /// Records that a passive checkpoint was omitted (``mayBeCheckpointed``).
    mutating func didOmitCheckpoint(at now: ContinuousClock.Instant) -> Outcome {
        // A restart that is under way may still fail.
        let (wasCheckpointedBefore, framesOutsideBefore) = (wasCheckpointed, framesOutside)
        let outcome = didCheckpoint(Progress(frames: frames, checkpointed: frames), at: now)
        (wasCheckpointed, framesOutside) = (wasCheckpointedBefore, framesOutsideBefore)
        wasCheckpointOmitted = true
        return outcome
    }

    /// Records that a restart of the log begins, which checkpoints it first.
    ///
    /// ``didRestartLog()`` or ``restartFailed(mayHaveCheckpointed:)`` follows.
    mutating func willRestartLog() {
        isRestartingLog = true
    }

    /// Records that a restart of the log failed.
    ///
    /// - Parameter mayHaveCheckpointed: True if it may have checkpointed the log, because only a reader prevented the
    ///   rest. Any other failure ends it before the log counts as checkpointed, so that the next checkpoint has to be
    ///   repeated.
    mutating func restartFailed(mayHaveCheckpointed: Bool) {
        isRestartingLog = false
        if mayHaveCheckpointed { wasCheckpointed = true }
    }

    /// Records that a passive checkpoint failed.
    ///
    /// - Returns: True if lists may continue.
    mutating func checkpointFailed(at now: ContinuousClock.Instant) -> Bool {
        isCheckpointing = false
        pause = nil
        return stopHolding(at: now)
    }

    private mutating func stopHolding(at now: ContinuousClock.Instant) -> Bool {
        guard case .quiet = quiescence else { return false }
        holdLater(at: now)
        return true
    }

    private mutating func holdLater(at now: ContinuousClock.Instant) {
        quiescence = .nothing
        quiesceAgainAt = now.advanced(by: quiescePause)
        quiescePause = min(quiescePause * 2, Self.pauses.longest)
    }

    /// Records that the next transaction writes to the beginning of the log.
    mutating func didRestartLog() -> Notice? {
        let wasTold = nextToTell > Self.framesToTell
        isRestartingLog = false
        wasCheckpointed = true
        wasCheckpointOmitted = false
        frames = 0
        framesSinceCheckpoint = 0
        framesOutside = 0
        quiescence = .nothing
        quiesceAgainAt = nil
        quiescePause = Self.pauses.shortest
        longSince = nil
        nextToTell = Self.framesToTell
        nextForWriter = Self.framesForWriter
        return wasTold ? .logRestarted : nil
    }

    /// Records that the log did not restart, because another connection reads from it.
    ///
    /// - Returns: True if it is not tried again for a while, so that lists may continue.
    mutating func didNotRestart(mayTryAgain: Bool, at now: ContinuousClock.Instant) -> Bool {
        guard case .quiet(let tries) = quiescence else {
            // The writer has checkpointed as much as possible; lists block the rest.
            framesSinceCheckpoint = 0
            return false
        }
        if mayTryAgain, tries + 1 < Self.maxTries {
            quiescence = .quiet(tries: tries + 1)
            return false
        }
        return stopHolding(at: now)
    }

    private mutating func notice(at now: ContinuousClock.Instant) -> Notice? {
        guard frames >= nextToTell, let longSince else { return nil }
        while nextToTell <= frames { nextToTell *= 2 }
        return .grows(bytes: frames * Self.frameBytes, age: longSince.duration(to: now))
    }
}
