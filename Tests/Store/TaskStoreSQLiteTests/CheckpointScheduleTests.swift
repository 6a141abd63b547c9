import Testing

@testable import ErrandTaskStoreSQLite

@Suite("CheckpointSchedule")
struct CheckpointScheduleTests {
    private typealias Schedule = CheckpointSchedule

    private let now = ContinuousClock.now
    private var schedule = CheckpointSchedule()

    @Test("A checkpoint runs concurrently with the writer after a number of frames, one at a time")
    mutating func passive() {
        #expect(schedule.didWrite(frames: Schedule.framesBetween, at: now) == .none)
        #expect(schedule.didWrite(frames: 1, at: now) == .checkpoint)
        #expect(schedule.didWrite(frames: Schedule.framesBetween * 2, at: now) == .none)
        let outcome = schedule.didCheckpoint(.init(frames: 4097, checkpointed: 4097), at: now)
        #expect(outcome == Schedule.Outcome())
        #expect(schedule.frames == 4097 + Schedule.framesBetween * 2)
    }

    @Test("The end leaves a long log of an earlier process whose checkpoint has failed")
    mutating func leftovers() {
        schedule.didFind(leftFrames: Schedule.maxFramesAtEnd + 1)
        schedule.beginCheckpoint()
        let releases = schedule.checkpointFailed(at: now)
        #expect(!releases)
        #expect(schedule.frames == Schedule.maxFramesAtEnd + 1)
        #expect(schedule.leavesRest)
        schedule.beginCheckpoint()
        _ = schedule.didCheckpoint(.init(frames: 20_000, checkpointed: 20_000), at: now)
        #expect(!schedule.leavesRest)
    }

    @Test("A long log restarts once no list is being read and the frames that they blocked are checkpointed")
    mutating func restart() {
        #expect(schedule.didWrite(frames: Schedule.maxFrames + 1, at: now) == .checkpoint)
        #expect(schedule.didCheckpoint(.init(frames: 10_241, checkpointed: 10_241), at: now).retry == nil)
        #expect(schedule.didWrite(frames: 1, at: now) == .quiesce(patience: .milliseconds(100), number: 1))
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(schedule.writerIsIdle() == .none)
        #expect(schedule.listsAreQuiet() == .checkpoint)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(schedule.didCheckpoint(.init(frames: 10_244, checkpointed: 10_244), at: now).isReady == true)
        #expect(schedule.writerIsIdle() == .restartLog)
        #expect(schedule.didWrite(frames: 1, at: now) == .restartLog)
        #expect(schedule.didNotRestart(mayTryAgain: true, at: now) == false)
        #expect(schedule.didWrite(frames: 1, at: now) == .restartLog)
        #expect(schedule.didRestartLog() == nil)
        #expect(schedule.frames == 0)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
    }

    @Test("A long-running reader causes growing delays, resumed lists, and a warning with its age")
    mutating func reader() {
        #expect(schedule.didWrite(frames: 12_000, at: now) == .checkpoint)
        var time = now
        var pauses: [Duration] = []
        var notices: [Schedule.Notice] = []
        for round in 1...8 {
            #expect(schedule.didWrite(frames: 20_000, at: time) == .none)
            schedule.beginCheckpoint()
            let outcome = schedule.didCheckpoint(.init(frames: 20_000 * (round + 1), checkpointed: 100), at: time)
            if let retry = outcome.retry { pauses.append(retry) }
            if let notice = outcome.notice { notices.append(notice) }
            time = time.advanced(by: .seconds(10))
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 32, 32].map { .seconds($0) })
        #expect(notices.count == 2)
        #expect(notices.first == .grows(bytes: 80_000 * Schedule.frameBytes, age: .seconds(20)))
        // The reader is gone.
        schedule.beginCheckpoint()
        #expect(schedule.didCheckpoint(.init(frames: 180_000, checkpointed: 180_000), at: time).retry == nil)
        #expect(schedule.didWrite(frames: 1, at: time) == .restartLog)
        #expect(schedule.didRestartLog() == .logRestarted)
    }

    @Test("If writes are faster than checkpoints, the writer checkpoints the log itself, even if lists block the rest")
    mutating func outrun() {
        #expect(schedule.didWrite(frames: 12_000, at: now) == .checkpoint)
        #expect(schedule.didWrite(frames: 12_000, at: now) == .none)
        #expect(schedule.didCheckpoint(.init(frames: 12_000, checkpointed: 12_000), at: now).retry == nil)
        #expect(schedule.didWrite(frames: 1, at: now) == .restartLog)
        #expect(schedule.didNotRestart(mayTryAgain: true, at: now) == false)
        #expect(schedule.didWrite(frames: 1, at: now) == .quiesce(patience: .milliseconds(100), number: 1))
        #expect(schedule.listsAreQuiet() == .checkpoint)
        #expect(schedule.didCheckpoint(.init(frames: 24_002, checkpointed: 24_002), at: now).isReady == true)
        #expect(schedule.didWrite(frames: 9000, at: now) == .restartLog)
        #expect(schedule.didRestartLog() == nil)
    }

    @Test("Lists are paused only for a while, and not again immediately")
    mutating func giveUp() {
        _ = schedule.didWrite(frames: 12_000, at: now)
        _ = schedule.didCheckpoint(.init(frames: 12_000, checkpointed: 12_000), at: now)
        #expect(schedule.didWrite(frames: 1, at: now) == .quiesce(patience: .milliseconds(100), number: 1))
        _ = schedule.listsAreQuiet()
        _ = schedule.didCheckpoint(.init(frames: 12_001, checkpointed: 12_001), at: now)
        var tries = 1
        while !schedule.didNotRestart(mayTryAgain: true, at: now) { tries += 1 }
        #expect(tries == Schedule.maxTries)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(
            schedule.didWrite(frames: 1, at: now.advanced(by: .seconds(1)))
                == .quiesce(patience: .milliseconds(200), number: 2))
        _ = schedule.listsAreQuiet()
        #expect(schedule.checkpointFailed(at: now) == true)
        #expect(schedule.checkpointFailed(at: now) == false)
    }

    @Test("A log that was checkpointed completely is not checkpointed again until a write that began later has ended")
    mutating func omitted() {
        schedule.willWrite()
        #expect(schedule.didWrite(frames: 5000, at: now) == .checkpoint)
        #expect(!schedule.mayBeCheckpointed)
        // This write began before the checkpoint had ended, and may be over before it.
        schedule.willWrite()
        _ = schedule.didCheckpoint(.init(frames: 5000, checkpointed: 5000), at: now)
        #expect(schedule.mayBeCheckpointed)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(schedule.mayBeCheckpointed)
        schedule.beginCheckpoint()
        #expect(schedule.didOmitCheckpoint(at: now).retry == nil)
        schedule.willWrite()
        #expect(schedule.mayBeCheckpointed)
        // It makes up for the checkpoint that was omitted.
        #expect(schedule.didWrite(frames: 1, at: now) == .checkpoint)
        #expect(!schedule.mayBeCheckpointed)
        _ = schedule.didCheckpoint(.init(frames: 5002, checkpointed: 5001), at: now)
        #expect(!schedule.mayBeCheckpointed)
        schedule.willRestartLog()
        #expect(schedule.mayBeCheckpointed)
        // The checkpoint that failed was not the one that covered the log.
        _ = schedule.checkpointFailed(at: now)
        #expect(schedule.mayBeCheckpointed)
    }

    @Test("A log that a failed restart did not checkpoint is checkpointed again; one that it may have is not")
    mutating func failedRestart() {
        #expect(schedule.didWrite(frames: 5000, at: now) == .checkpoint)
        _ = schedule.checkpointFailed(at: now)
        schedule.willRestartLog()
        #expect(schedule.mayBeCheckpointed)
        schedule.restartFailed(mayHaveCheckpointed: false)
        #expect(!schedule.mayBeCheckpointed)
        // A checkpoint that was omitted during the restart does not count as one.
        schedule.willRestartLog()
        schedule.beginCheckpoint()
        _ = schedule.didOmitCheckpoint(at: now)
        #expect(schedule.mayBeCheckpointed)
        schedule.restartFailed(mayHaveCheckpointed: false)
        #expect(!schedule.mayBeCheckpointed)
        schedule.willWrite()
        #expect(schedule.didWrite(frames: 1, at: now) == .checkpoint)
        // A reader prevents the restart only after the log was checkpointed, whatever a checkpoint before it had left.
        schedule.willRestartLog()
        _ = schedule.didCheckpoint(.init(frames: 5001, checkpointed: 5000), at: now)
        #expect(schedule.mayBeCheckpointed)
        schedule.restartFailed(mayHaveCheckpointed: true)
        #expect(schedule.mayBeCheckpointed)
        // A checkpoint from before stays valid.
        schedule.willRestartLog()
        schedule.restartFailed(mayHaveCheckpointed: false)
        #expect(schedule.mayBeCheckpointed)
    }

    @Test("The end leaves many frames that are outside of the database, until a checkpoint or a restart moves them")
    mutating func rest() {
        #expect(schedule.didWrite(frames: Schedule.maxFramesAtEnd, at: now) == .checkpoint)
        #expect(!schedule.leavesRest)
        // A reader blocks the checkpoint.
        _ = schedule.didCheckpoint(.init(frames: 8192, checkpointed: 100), at: now)
        #expect(schedule.framesOutside == 8092)
        _ = schedule.didWrite(frames: 100, at: now)
        #expect(!schedule.leavesRest)
        _ = schedule.didWrite(frames: 1, at: now)
        #expect(schedule.leavesRest)
        // Neither of these has moved any.
        schedule.beginCheckpoint()
        _ = schedule.didOmitCheckpoint(at: now)
        schedule.beginCheckpoint()
        _ = schedule.checkpointFailed(at: now)
        #expect(schedule.leavesRest)
        schedule.beginCheckpoint()
        _ = schedule.didCheckpoint(.init(frames: 8293, checkpointed: 8293), at: now)
        #expect(schedule.framesOutside == 0)
        _ = schedule.didWrite(frames: 5, at: now)
        #expect(schedule.framesOutside == 5)
        _ = schedule.didRestartLog()
        #expect(schedule.framesOutside == 0)
    }

    @Test(
        "Lists that do not become quiet soon go on, and are paused again later, with more patience and at last without end"
    )
    mutating func busyLists() {
        _ = schedule.didWrite(frames: 12_000, at: now)
        _ = schedule.didCheckpoint(.init(frames: 12_000, checkpointed: 12_000), at: now)
        var time = now
        for (number, seconds) in [1, 2, 4, 8, 16].enumerated() {
            #expect(
                schedule.didWrite(frames: 1, at: time)
                    == .quiesce(patience: .milliseconds(100 * seconds), number: number + 1))
            #expect(schedule.listsStayBusy(number, at: time) == false)
            #expect(schedule.listsStayBusy(number + 1, at: time) == true)
            #expect(schedule.listsStayBusy(number + 1, at: time) == false)
            #expect(schedule.listsAreQuiet() == .none)
            #expect(schedule.didWrite(frames: 1, at: time) == .none)
            time = time.advanced(by: .seconds(seconds))
        }
        #expect(schedule.didWrite(frames: 1, at: time) == .quiesce(patience: nil, number: 6))
        #expect(schedule.listsAreQuiet() == .checkpoint)
        #expect(schedule.listsStayBusy(6, at: time) == false)
    }
}
