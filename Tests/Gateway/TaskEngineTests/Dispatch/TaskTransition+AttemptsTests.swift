import ErrandConfiguration
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("TaskTransition: retries, times and deadlines")
struct TaskTransitionAttemptsTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let pause = Duration.seconds(10)
    private var later: Timestamp { now.adding(pause) }
    private var earlier: Timestamp { now.adding(.seconds(-10)) }

    private func step(_ step: TaskStep, on record: TaskRecord) -> TaskTransition {
        TaskTransition(of: step, on: record, at: now)
    }

    private func failure(pause: Duration?, body: StoredBody? = nil) -> AttemptResult {
        AttemptResult(
            succeeded: false, retryPause: pause, attempt: Array(#"{"number":1}"#.utf8),
            response: Array(#""status":503"#.utf8), error: Array("{}".utf8), body: body)
    }

    // MARK: Retries

    @Test("A failed attempt that is retried makes its task wait, and leaves only its item in the attempts")
    func retry() {
        let transition = step(
            .end(failure(pause: pause, body: .sample(.file))), on: .sample(1, state: .running))
        #expect(transition.record?.state == .waiting)
        #expect(transition.record?.nextAttemptAt == later)
        #expect(transition.record?.dueAt == later)
        #expect(transition.record?.result.attempts == Array(#"{"number":1}"#.utf8))
        #expect(transition.record?.result.response == nil)
        #expect(transition.record?.result.error == nil)
        #expect(transition.record?.finishedAt == nil)
        #expect(transition.effects == [.dropBody])
    }

    @Test("A step that adds nothing to the result keeps the stored one")
    func keptResult() throws {
        let waiting = step(.end(failure(pause: pause)), on: .sample(1, state: .running))
        #expect(waiting.update?.keepsResult == false)
        let record = try #require(waiting.record)
        #expect(step(.putOff(until: later), on: record).update?.keepsResult == true)
        #expect(step(.suspend, on: record).update?.keepsResult == true)
        #expect(step(.cancel, on: record).update?.keepsResult == false)
        let queued = TaskTransition(of: .timeCame, on: record, at: later)
        #expect(queued.update?.keepsResult == true)
    }

    @Test("An attempt that fails while its task is suspended leaves it suspended; the pause still applies on resume")
    func retryWhileSuspended() throws {
        let suspended = try #require(step(.end(failure(pause: pause)), on: .standingStill(1)).record)
        #expect(suspended.state == .suspended)
        #expect(!suspended.hasOpenAttempt)
        #expect(suspended.nextAttemptAt == later)
        let early = step(.resume, on: suspended)
        #expect(early.record?.state == .waiting)
        #expect(early.effects.isEmpty)
        // Its timer ends a pause that is over: a retry needs a token.
        let late = TaskTransition(of: .resume, on: suspended, at: later)
        let due = try #require(late.record)
        #expect(due.state == .waiting)
        #expect(due.dueAt == later)
        #expect(late.effects.isEmpty)
        let queued = TaskTransition(of: .timeCame, on: due, at: later)
        #expect(queued.record?.state == .queued)
        #expect(queued.record?.readyAt == later)
        #expect(queued.effects == [.enqueue])
    }

    @Test("A canceled task is never retried")
    func retryAfterCancel() {
        let transition = step(.end(failure(pause: pause)), on: .sample(1, state: .canceling))
        #expect(transition.record?.state == .canceled)
        #expect(transition.record?.nextAttemptAt == nil)
    }

    @Test("The redirects of an attempt are stored with its end")
    func redirects() {
        var result = failure(pause: nil)
        result.hops = [StoredHop(.redirect, Array("{}".utf8))]
        #expect(step(.end(result), on: .sample(1, state: .running)).update?.hops == result.hops)
    }

    // MARK: Times

    private func waiting(until time: Timestamp) -> TaskRecord {
        var record = TaskRecord.sample(1, state: .waiting)
        record.change { $0.nextAttemptAt = time }
        return record
    }

    private func scheduled(until time: Timestamp) -> TaskRecord {
        var record = TaskRecord.sample(1, state: .scheduled)
        record.change { $0.notBefore = time }
        return record
    }

    @Test("When the time of a task comes it is queued, with that time as the start of its wait")
    func timeCame() {
        for record in [waiting(until: earlier), scheduled(until: earlier)] {
            let transition = step(.timeCame, on: record)
            #expect(transition.record?.state == .queued)
            #expect(transition.record?.readyAt == earlier)
            #expect(transition.effects == [.enqueue])
        }
    }

    @Test("A task wanted at once is not postponed by an earlier decision, and stays first after a later one")
    func putOffAfterRunNow() throws {
        let queued = TaskRecord.sample(1)
        let atOnce = try #require(step(.runNow, on: queued).record)
        let late = step(.putOff(until: later, ifReadyAt: queued.readyAt), on: atOnce)
        #expect(late.update == nil)
        #expect(late.effects.isEmpty)
        let off = try #require(step(.putOff(until: later, ifReadyAt: atOnce.readyAt), on: atOnce).record)
        #expect(off.state == .waiting)
        let due = TaskTransition(of: .timeCame, on: off, at: later)
        #expect(due.record?.state == .queued)
        #expect(due.record?.readyAt == .earliest)
    }

    @Test("The retry after an attempt that a client wanted at once waits like any other")
    func retryAfterRunNow() throws {
        var running = TaskRecord.sample(1, state: .running)
        running.change { $0.readyAt = .earliest }
        let waiting = try #require(step(.end(failure(pause: pause)), on: running).record)
        let due = TaskTransition(of: .timeCame, on: waiting, at: later)
        #expect(due.record?.state == .queued)
        #expect(due.record?.readyAt == later)
    }

    @Test("The attempt that replaces a lost one waits like any other too", arguments: [TaskState.running, .suspended])
    func replacementAfterRunNow(state: TaskState) throws {
        var record = TaskRecord.sample(1, state: state)
        try record.change {
            $0.readyAt = .earliest
            $0.life = try #require(TaskLifecycle(state: state, hasOpenAttempt: true))
        }
        var lost = failure(pause: nil)
        lost.mayRestart = true
        let next = try #require(step(.end(lost), on: record).record)
        #expect(next.state == (state == .running ? .queued : .suspended))
        #expect(next.readyAt == now)
    }

    @Test("A task that was postponed in the meantime is not due", arguments: TaskState.allCases)
    func timePutOff(state: TaskState) {
        var record = TaskRecord.sample(1, state: state)
        record.change {
            $0.notBefore = later
            $0.nextAttemptAt = later
        }
        let transition = step(.timeCame, on: record)
        #expect(transition.update == nil)
        #expect(transition.effects.isEmpty)
    }

    @Test("A task whose wait is longer by the clock as it was set is not due, and its new time is stored")
    func timeMoved() {
        let jump = Duration.seconds(3600)
        var delayed = scheduled(until: earlier)
        delayed.change { $0.isDelayed = true }
        for record in [waiting(until: earlier), delayed] {
            let transition = TaskTransition(of: .timeCame, on: record, at: now, clockOffset: jump)
            #expect(transition.record?.state == record.state)
            #expect(transition.record?.dueAt == earlier.adding(jump))
            #expect(transition.record?.clockOffset == jump)
            #expect(transition.effects.isEmpty)
        }
    }

    @Test("A failing destination fails a task that waits for it, and no other", arguments: TaskState.allCases)
    func destinationFailed(state: TaskState) {
        let transition = step(.destinationFailed, on: .sample(1, state: state))
        let waits = state == .queued || state == .waiting
        #expect((transition.record?.state == .failed) == waits)
        #expect((transition.record?.result.error == TaskErrorDocument.destinationFailed) == waits)
        #expect(transition.effects.isEmpty == (state != .queued))
    }

    @Test("Resumed before its time a task is scheduled again; resumed after it, the task is queued")
    func resumeEarly() {
        var record = TaskRecord.sample(1, state: .suspended)
        record.change { $0.notBefore = later }
        #expect(step(.resume, on: record).record?.state == .scheduled)
        #expect(step(.resume, on: record).effects.isEmpty)
        record.change { $0.notBefore = earlier }
        #expect(step(.resume, on: record).record?.state == .queued)
    }

    @Test("A task with a slot does not start while another task of its key has the turn")
    func blocked() {
        var record = TaskRecord.sample(1)
        record.change { $0.isBlocked = true }
        let transition = step(.start, on: record)
        #expect(transition.update == nil)
        #expect(transition.effects == [.releaseSlot])
        record.change { $0.isBlocked = false }
        #expect(step(.unblocked, on: record).effects == [.enqueue])
        #expect(step(.unblocked, on: .sample(1, state: .suspended)).effects.isEmpty)
    }

    // MARK: Deadlines

    private func overdue(_ state: TaskState) -> TaskRecord {
        var record = TaskRecord.sample(1, state: state)
        record.change { $0.deadline = now }
        return record
    }

    @Test(
        "A waiting task fails when its deadline passes",
        arguments: [TaskState.scheduled, .queued, .waiting, .suspended])
    func deadlineOfPending(state: TaskState) {
        let transition = step(.deadlinePassed, on: overdue(state))
        #expect(transition.record?.state == .failed)
        #expect(transition.record?.finishedAt == now)
        #expect(transition.record?.result.error == TaskErrorDocument.deadlineExceeded)
        #expect(transition.record?.expiresAt == now.adding(.seconds(7 * 86_400)))
        #expect(transition.effects == (state == .queued ? [.withdraw] : []))
    }

    @Test("The attempt of a running or suspended task is ended at its deadline")
    func deadlineOfRunning() {
        var still = TaskRecord.standingStill(1)
        still.change { $0.deadline = now }
        for record in [overdue(.running), still] {
            let transition = step(.deadlinePassed, on: record)
            #expect(transition.update == nil)
            #expect(transition.effects == [.endAttempt])
        }
    }

    @Test(
        "A canceling task stays canceling after its deadline, and a finished task finished",
        arguments: [TaskState.canceling, .succeeded, .failed, .canceled])
    func deadlineTooLate(state: TaskState) {
        let transition = step(.deadlinePassed, on: overdue(state))
        #expect(transition.update == nil)
        #expect(transition.effects.isEmpty)
    }

    @Test("A deadline that was moved in the meantime has not passed")
    func deadlineMoved() {
        var record = overdue(.queued)
        record.change { $0.deadline = later }
        #expect(step(.deadlinePassed, on: record).update == nil)
        record.change { $0.deadline = nil }
        #expect(step(.deadlinePassed, on: record).update == nil)
    }

    @Test("A task that gets its slot after its deadline is not sent, and the slot is released")
    func startTooLate() {
        let transition = step(.start, on: overdue(.queued))
        #expect(transition.record?.state == .failed)
        #expect(transition.record?.attemptCount == 0)
        #expect(transition.effects.contains(.releaseSlot))
        #expect(!transition.effects.contains(.launch))
    }

    // MARK: Expiry

    @Test("An ended task is kept for the retention time of its state")
    func expiry() {
        var completion = TaskCompletion()
        completion.retention.succeeded = .seconds(1)
        completion.retention.failed = nil
        completion.retention.canceled = .seconds(3)
        let running = TaskRecord.sample(1, state: .running)
        let success = AttemptResult(succeeded: true, attempt: Array("{}".utf8))
        #expect(
            TaskTransition(of: .end(success), on: running, at: now, completion).record?.expiresAt
                == now.adding(.seconds(1)))
        #expect(
            TaskTransition(of: .end(failure(pause: nil)), on: running, at: now, completion).record?.expiresAt == nil)
        #expect(
            TaskTransition(of: .cancel, on: .sample(1), at: now, completion).record?.expiresAt
                == now.adding(.seconds(3)))
        #expect(
            TaskTransition(of: .end(failure(pause: pause)), on: running, at: now, completion).record?.expiresAt
                == nil)
    }
}
