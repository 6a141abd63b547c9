import Support
import TaskStore
import Testing

@testable import Gateway

@Suite("TaskTransition")
struct TaskStepTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func step(_ step: TaskStep, on record: TaskRecord) -> TaskTransition {
        TaskTransition(of: step, on: record, life: TaskLifecycle(state: record.state), at: now)
    }

    private func result(_ succeeded: Bool, body: StoredBody? = nil) -> AttemptResult {
        AttemptResult(
            succeeded: succeeded, attempt: Array(#"{"number":1}"#.utf8), response: Array(#""status":200"#.utf8),
            error: succeeded ? nil : Array("{}".utf8), body: body, object: body == nil ? .none : .slice(0..<2))
    }

    @Test("A start stores the attempt, then sends")
    func start() {
        let transition = step(.start, on: .sample(1))
        #expect(transition.record?.state == .running)
        #expect(transition.record?.attemptCount == 1)
        #expect(transition.record?.startedAt == now)
        #expect(transition.record?.revision == 2)
        #expect(transition.effects == [.launch])
        #expect(transition.life.state == .running)
    }

    @Test("A second attempt keeps when the first started")
    func secondStart() {
        var record = TaskRecord.sample(1)
        record.startedAt = record.createdAt
        record.attemptCount = 1
        let next = step(.start, on: record).record
        #expect(next?.attemptCount == 2)
        #expect(next?.startedAt == record.createdAt)
    }

    @Test(
        "A start of what is not queued any more gives its place back and changes nothing",
        arguments: [TaskState.running, .canceling, .succeeded, .failed, .canceled])
    func startInVain(state: TaskState) {
        let transition = step(.start, on: .sample(1, state: state))
        #expect(transition.record == nil)
        #expect(transition.effects == [.releasePlace])
        #expect(transition.isRefused)
    }

    @Test("An end brings everything that came of the attempt", arguments: [true, false])
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

    @Test("Attempts add up")
    func attempts() {
        var record = TaskRecord.sample(1, state: .running)
        record.result.attempts = Array(#"{"number":0}"#.utf8)
        let next = step(.end(result(true)), on: record).record
        #expect(next?.result.attempts == Array(#"{"number":0},{"number":1}"#.utf8))
    }

    @Test("An end of what was told canceling is canceled, whatever came, and its file belongs to nobody")
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

    @Test("An end of what has ended is refused", arguments: [TaskState.queued, .succeeded, .failed, .canceled])
    func endTwice(state: TaskState) {
        let transition = step(.end(result(true)), on: .sample(1, state: state))
        #expect(transition.record == nil)
        #expect(transition.isRefused)
    }

    @Test("A cancel ends what waits, and closes the connection of what runs")
    func cancel() {
        let queued = step(.cancel, on: .sample(1))
        #expect(queued.record?.state == .canceled)
        #expect(queued.record?.finishedAt == now)
        #expect(queued.record?.result.error == TaskErrorDocument.canceled)
        #expect(queued.effects.isEmpty)
        let running = step(.cancel, on: .sample(1, state: .running))
        #expect(running.record?.state == .canceling)
        #expect(running.record?.finishedAt == nil)
        #expect(running.record?.result.error == nil)
        #expect(running.effects == [.closeConnection])
    }

    @Test("A second cancel changes nothing; one that comes too late is refused")
    func cancelAgain() {
        for state in [TaskState.canceling, .canceled] {
            let transition = step(.cancel, on: .sample(1, state: state))
            #expect(transition.record == nil)
            #expect(!transition.isRefused)
            #expect(transition.effects.isEmpty)
        }
        for state in [TaskState.succeeded, .failed] {
            #expect(step(.cancel, on: .sample(1, state: state)).isRefused)
        }
    }
}
