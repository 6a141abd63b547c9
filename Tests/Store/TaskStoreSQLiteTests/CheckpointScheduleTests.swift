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
        #expect(schedule.didWrite(frames: 1, at: now) == .move)
        #expect(schedule.didWrite(frames: Schedule.framesBetween * 2, at: now) == .none)
        let outcome = schedule.didMove(.init(frames: 4097, moved: 4097), at: now)
        #expect(outcome == Schedule.Outcome())
        #expect(schedule.frames == 4097 + Schedule.framesBetween * 2)
    }

    @Test("A long log restarts once no list is being read and the frames that they blocked are moved")
    mutating func anew() {
        #expect(schedule.didWrite(frames: Schedule.maxFrames + 1, at: now) == .move)
        #expect(schedule.didMove(.init(frames: 10_241, moved: 10_241), at: now).retry == nil)
        #expect(schedule.didWrite(frames: 1, at: now) == .quiesce(patience: .milliseconds(100), number: 1))
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(schedule.writerIsIdle() == .none)
        #expect(schedule.listsAreQuiet() == .move)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(schedule.didMove(.init(frames: 10_244, moved: 10_244), at: now).isReady == true)
        #expect(schedule.writerIsIdle() == .beginAnew)
        #expect(schedule.didWrite(frames: 1, at: now) == .beginAnew)
        #expect(schedule.didNotBeginAnew(mayTryAgain: true, at: now) == false)
        #expect(schedule.didWrite(frames: 1, at: now) == .beginAnew)
        #expect(schedule.didBeginAnew() == nil)
        #expect(schedule.frames == 0)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
    }

    @Test("A long-running reader causes growing delays, resumed lists, and a warning with its age")
    mutating func reader() {
        #expect(schedule.didWrite(frames: 12_000, at: now) == .move)
        var time = now
        var pauses: [Duration] = []
        var notices: [Schedule.Notice] = []
        for round in 1...8 {
            #expect(schedule.didWrite(frames: 20_000, at: time) == .none)
            schedule.beginMove()
            let outcome = schedule.didMove(.init(frames: 20_000 * (round + 1), moved: 100), at: time)
            if let retry = outcome.retry { pauses.append(retry) }
            if let notice = outcome.notice { notices.append(notice) }
            time = time.advanced(by: .seconds(10))
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 32, 32].map { .seconds($0) })
        #expect(notices.count == 2)
        #expect(notices.first == .grows(bytes: 80_000 * Schedule.frameBytes, age: .seconds(20)))
        // The reader is gone.
        schedule.beginMove()
        #expect(schedule.didMove(.init(frames: 180_000, moved: 180_000), at: time).retry == nil)
        #expect(schedule.didWrite(frames: 1, at: time) == .beginAnew)
        #expect(schedule.didBeginAnew() == .isShortAgain)
    }

    @Test("If writes are faster than checkpoints, the writer moves the log itself, even if lists block the rest")
    mutating func outrun() {
        #expect(schedule.didWrite(frames: 12_000, at: now) == .move)
        #expect(schedule.didWrite(frames: 12_000, at: now) == .none)
        #expect(schedule.didMove(.init(frames: 12_000, moved: 12_000), at: now).retry == nil)
        #expect(schedule.didWrite(frames: 1, at: now) == .beginAnew)
        #expect(schedule.didNotBeginAnew(mayTryAgain: true, at: now) == false)
        #expect(schedule.didWrite(frames: 1, at: now) == .quiesce(patience: .milliseconds(100), number: 1))
        #expect(schedule.listsAreQuiet() == .move)
        #expect(schedule.didMove(.init(frames: 24_002, moved: 24_002), at: now).isReady == true)
        #expect(schedule.didWrite(frames: 9000, at: now) == .beginAnew)
        #expect(schedule.didBeginAnew() == nil)
    }

    @Test("Lists are paused only for a while, and not again immediately")
    mutating func giveUp() {
        _ = schedule.didWrite(frames: 12_000, at: now)
        _ = schedule.didMove(.init(frames: 12_000, moved: 12_000), at: now)
        #expect(schedule.didWrite(frames: 1, at: now) == .quiesce(patience: .milliseconds(100), number: 1))
        _ = schedule.listsAreQuiet()
        _ = schedule.didMove(.init(frames: 12_001, moved: 12_001), at: now)
        var tries = 1
        while !schedule.didNotBeginAnew(mayTryAgain: true, at: now) { tries += 1 }
        #expect(tries == Schedule.maxTries)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(
            schedule.didWrite(frames: 1, at: now.advanced(by: .seconds(1)))
                == .quiesce(patience: .milliseconds(200), number: 2))
        _ = schedule.listsAreQuiet()
        #expect(schedule.moveFailed(at: now) == true)
        #expect(schedule.moveFailed(at: now) == false)
    }

    @Test("A log that was moved completely is not moved again until a write that began later has ended")
    mutating func moved() {
        schedule.willWrite()
        #expect(schedule.didWrite(frames: 5000, at: now) == .move)
        #expect(!schedule.isMoved)
        // This write began before the checkpoint had ended, and may be over before it.
        schedule.willWrite()
        _ = schedule.didMove(.init(frames: 5000, moved: 5000), at: now)
        #expect(schedule.isMoved)
        #expect(schedule.didWrite(frames: 1, at: now) == .none)
        #expect(schedule.isMoved)
        schedule.beginMove()
        #expect(schedule.didOmitMove(at: now).retry == nil)
        schedule.willWrite()
        #expect(schedule.isMoved)
        // It makes up for the checkpoint that was omitted.
        #expect(schedule.didWrite(frames: 1, at: now) == .move)
        #expect(!schedule.isMoved)
        _ = schedule.didMove(.init(frames: 5002, moved: 5001), at: now)
        #expect(!schedule.isMoved)
        schedule.willBeginAnew()
        #expect(schedule.isMoved)
        // The checkpoint that failed was not the one that moved the log.
        _ = schedule.moveFailed(at: now)
        #expect(schedule.isMoved)
    }

    @Test("A log that a failed restart did not move is moved again, and one that it may have moved is not")
    mutating func failedRestart() {
        #expect(schedule.didWrite(frames: 5000, at: now) == .move)
        _ = schedule.moveFailed(at: now)
        schedule.willBeginAnew()
        #expect(schedule.isMoved)
        schedule.beginAnewFailed(mayHaveMoved: false)
        #expect(!schedule.isMoved)
        // A checkpoint that was omitted during the restart does not count as one.
        schedule.willBeginAnew()
        schedule.beginMove()
        _ = schedule.didOmitMove(at: now)
        #expect(schedule.isMoved)
        schedule.beginAnewFailed(mayHaveMoved: false)
        #expect(!schedule.isMoved)
        schedule.willWrite()
        #expect(schedule.didWrite(frames: 1, at: now) == .move)
        // A reader prevents the restart only after the log was moved, whatever a checkpoint before it had left.
        schedule.willBeginAnew()
        _ = schedule.didMove(.init(frames: 5001, moved: 5000), at: now)
        #expect(schedule.isMoved)
        schedule.beginAnewFailed(mayHaveMoved: true)
        #expect(schedule.isMoved)
        // What was moved before stays moved.
        schedule.willBeginAnew()
        schedule.beginAnewFailed(mayHaveMoved: false)
        #expect(schedule.isMoved)
    }

    @Test(
        "Lists that do not become quiet soon go on, and are paused again later, with more patience and at last without end"
    )
    mutating func busyLists() {
        _ = schedule.didWrite(frames: 12_000, at: now)
        _ = schedule.didMove(.init(frames: 12_000, moved: 12_000), at: now)
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
        #expect(schedule.listsAreQuiet() == .move)
        #expect(schedule.listsStayBusy(6, at: time) == false)
    }
}
