import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("TaskTransition")
struct TaskTransitionTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func step(_ step: TaskStep, on record: TaskRecord) -> TaskTransition {
        TaskTransition(of: step, on: record, at: now)
    }

    private func result(_ succeeded: Bool, body: StoredBody? = nil) -> AttemptResult {
        AttemptResult(
            succeeded: succeeded, attempt: Array(#"{"number":1}"#.utf8), response: Array(#""status":200"#.utf8),
            error: succeeded ? nil : Array("{}".utf8), body: body, object: body == nil ? .none : .slice(0..<2))
    }

    @Test("A start stores the attempt, then sends the request")
    func start() {
        let transition = step(.start, on: .sample(1))
        #expect(transition.record?.state == .running)
        #expect(transition.record?.attemptCount == 1)
        #expect(transition.record?.startedAt == now)
        #expect(transition.record?.revision == 2)
        #expect(transition.effects == [.launch])
        #expect(transition.life.state == .running)
    }

    @Test("A second attempt keeps the start time of the first")
    func secondStart() {
        var record = TaskRecord.sample(1)
        record.change {
            $0.startedAt = $0.createdAt
            $0.attemptCount = 1
        }
        let next = step(.start, on: record).record
        #expect(next?.attemptCount == 2)
        #expect(next?.startedAt == record.createdAt)
    }

    @Test(
        "A start of a task that is no longer queued releases its slot and changes nothing",
        arguments: [TaskState.running, .suspended, .canceling, .succeeded, .failed, .canceled])
    func startInVain(state: TaskState) {
        let transition = step(.start, on: .sample(1, state: state))
        #expect(transition.record == nil)
        #expect(transition.effects == [.releaseSlot])
        #expect(transition.refusal == .illegal)
    }

    @Test("An end stores the whole result of the attempt", arguments: [true, false])
    func end(succeeded: Bool) {
        let body = StoredBody.sample(.inline(Array("{}".utf8)))
        let next = step(.end(result(succeeded, body: body)), on: .sample(1, state: .running)).record
        #expect(next?.state == (succeeded ? .succeeded : .failed))
        #expect(next?.finishedAt == now)
        #expect(next?.result.attempts == Array(#"{"number":1}"#.utf8))
        #expect(next?.result.response == Array(#""status":200"#.utf8))
        #expect(next?.result.body == body)
        #expect(next?.result.object == .slice(0..<2))
        #expect((next?.result.error == nil) == succeeded)
    }

    @Test("Attempts are appended")
    func attempts() {
        var record = TaskRecord.sample(1, state: .running)
        record.change { $0.result.attempts = Array(#"{"number":0}"#.utf8) }
        let next = step(.end(result(true)), on: record).record
        #expect(next?.result.attempts == Array(#"{"number":0},{"number":1}"#.utf8))
    }

    @Test("An attempt that ends while its task is canceling makes it canceled, and its body file is removed")
    func endOfCanceled() {
        for body in [nil, StoredBody.sample(.inline([])), StoredBody.sample(.file)] {
            for succeeded in [true, false] {
                let transition = step(.end(result(succeeded, body: body)), on: .sample(1, state: .canceling))
                #expect(transition.record?.state == .canceled)
                #expect(transition.record?.result.error == TaskErrorDocument.canceled)
                #expect(transition.record?.result.response == nil)
                #expect(transition.record?.result.body == nil)
                #expect(transition.record?.result.attempts.isEmpty == false)
                #expect(transition.effects == (body?.location == .file ? [.dropBody] : []))
            }
        }
    }

    @Test("An end of a finished task is refused", arguments: [TaskState.queued, .succeeded, .failed, .canceled])
    func endTwice(state: TaskState) {
        let transition = step(.end(result(true)), on: .sample(1, state: state))
        #expect(transition.record == nil)
        #expect(transition.refusal == .illegal)
    }

    @Test("A cancel ends a waiting task, and closes the connection of a running one")
    func cancel() {
        let queued = step(.cancel, on: .sample(1))
        #expect(queued.record?.state == .canceled)
        #expect(queued.record?.finishedAt == now)
        #expect(queued.record?.result.error == TaskErrorDocument.canceled)
        #expect(queued.effects == [.withdraw])
        let running = step(.cancel, on: .sample(1, state: .running))
        #expect(running.record?.state == .canceling)
        #expect(running.record?.finishedAt == nil)
        #expect(running.record?.result.error == nil)
        #expect(running.effects == [.closeConnection])
    }

    @Test("A cancel keeps the partial file of a download if the client wants it, also when the attempt ends later")
    func cancelKeepingPartialFile() {
        for keeps in [false, true] {
            let cancel = keeps ? TaskStep.cancelKeepingPartialFile : .cancel
            let waiting = step(cancel, on: .sample(1, kind: .download, state: .waiting))
            #expect(waiting.record?.state == .canceled)
            #expect(waiting.record?.keepsPartialFile == keeps)
            #expect(waiting.effects.contains(.dropPartialFile) == !keeps)
            let running = step(cancel, on: .sample(1, kind: .download, state: .running))
            let end = running.record.map { step(.end(AttemptResult(succeeded: false, attempt: [])), on: $0) }
            #expect(end?.record?.state == .canceled)
            #expect(end?.effects.contains(.dropPartialFile) == !keeps)
        }
        #expect(step(.cancelKeepingPartialFile, on: .sample(1)).record?.keepsPartialFile == false, "It has none")
    }

    @Test("A second cancel changes nothing; a cancel after the end is refused")
    func cancelAgain() {
        for state in [TaskState.canceling, .canceled] {
            let transition = step(.cancel, on: .sample(1, state: state))
            #expect(transition.record == nil)
            #expect(transition.refusal == nil)
            #expect(transition.effects.isEmpty)
        }
        for state in [TaskState.succeeded, .failed] {
            #expect(step(.cancel, on: .sample(1, state: state)).refusal == .illegal)
        }
    }

    @Test("A suspend takes a waiting task out of the queue, and suspends the attempt of a running one")
    func suspend() {
        let queued = step(.suspend, on: .sample(1))
        #expect(queued.record?.state == .suspended)
        #expect(queued.record?.hasOpenAttempt == false)
        #expect(queued.effects == [.withdraw])
        #expect(step(.cancel, on: .sample(1, state: .suspended)).effects.isEmpty, "it is not queued")
        let running = step(.suspend, on: .sample(1, state: .running))
        #expect(running.record?.state == .suspended)
        #expect(running.record?.hasOpenAttempt == true)
        #expect(running.effects == [.suspendTransfer])
    }

    @Test("A resume continues a suspended attempt, and queues a task without one")
    func resume() {
        let still = step(.resume, on: .standingStill(1))
        #expect(still.record?.state == .running)
        #expect(still.record?.attemptCount == TaskRecord.standingStill(1).attemptCount)
        #expect(still.effects == [.resumeTransfer])
        let suspended = step(.resume, on: .sample(1, state: .suspended))
        #expect(suspended.record?.state == .queued)
        #expect(suspended.effects == [.enqueue])
    }

    @Test("Requesting the current state changes nothing; a finished or canceling task is neither suspended nor resumed")
    func sameState() {
        for (asked, state) in [(TaskStep.suspend, TaskState.suspended), (.resume, .queued), (.resume, .running)] {
            let transition = step(asked, on: .sample(1, state: state))
            #expect(transition.record == nil)
            #expect(transition.refusal == nil)
            #expect(transition.effects.isEmpty)
        }
        for state in [TaskState.canceling, .succeeded, .failed, .canceled] {
            #expect(step(.suspend, on: .sample(1, state: state)).refusal == .illegal)
            #expect(step(.resume, on: .sample(1, state: state)).refusal == .illegal)
        }
    }

    @Test("An attempt lost by suspension leaves its task suspended without one, and is listed in the attempts")
    func lostAttempt() {
        var lost = result(false)
        lost.mayRestart = true
        let suspended = step(.end(lost), on: .standingStill(1))
        #expect(suspended.record?.state == .suspended)
        #expect(suspended.record?.hasOpenAttempt == false)
        #expect(suspended.record?.result.attempts == Array(#"{"number":1}"#.utf8))
        #expect(suspended.record?.result.error == nil)
        #expect(suspended.record?.result.response == nil)
        #expect(suspended.effects.isEmpty)
        let resumed = step(.end(lost), on: .sample(1, state: .running))
        #expect(resumed.record?.state == .queued)
        #expect(resumed.effects == [.enqueue])
        let canceling = step(.end(lost), on: .sample(1, state: .canceling))
        #expect(canceling.record?.state == .canceled)
        #expect(canceling.effects.isEmpty)
    }

    @Test("An attempt that ends while its task is suspended ends the task", arguments: [true, false])
    func endWhileSuspended(succeeded: Bool) {
        let transition = step(.end(result(succeeded)), on: .standingStill(1))
        #expect(transition.record?.state == (succeeded ? .succeeded : .failed))
        #expect(transition.effects.isEmpty)
    }

    @Test("A purge cancels tasks without an attempt, and leaves the others alone", arguments: TaskState.allCases)
    func purge(state: TaskState) {
        let record = TaskRecord.sample(1, state: state)
        let transition = step(.purge, on: record)
        #expect(transition.record?.state == (record.life.isPending ? .canceled : nil))
        #expect((transition.refusal == .illegal) == !record.life.isPending)
        #expect(transition.effects == (state == .queued ? [.withdraw] : []))
        #expect(step(.purge, on: .standingStill(1)).refusal == .illegal)
    }
}
