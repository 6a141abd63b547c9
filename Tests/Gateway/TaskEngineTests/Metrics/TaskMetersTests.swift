import ErrandMetrics
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandTaskEngine

@Suite("TaskMeters")
struct TaskMetersTests {
    private let meters = TaskMeters()

    private static func task(
        _ state: TaskState, kind: TaskKind = .data, session: String = "github", attempts: Int = 1
    ) -> TaskRecord {
        var record = TaskRecord.sample(1, session: session, kind: kind, state: state)
        record.change {
            $0.attemptCount = attempts
            $0.finishedAt = $0.createdAt.adding(.milliseconds(1500))
        }
        return record
    }

    @Test("A task that ended is counted for its session, kind and outcome, with its time; others are not")
    func tasks() {
        for state in TaskState.allCases { meters.taskEnded(Self.task(state)) }
        meters.taskEnded(Self.task(.failed, kind: .callback))
        meters.taskEnded(Self.task(.failed, session: "gitlab"))
        let meter = meters["github"]
        for outcome in SessionMeter.outcomes {
            #expect(meter.finished(.data, outcome) == 1)
            #expect(meter.finished(.callback, outcome) == (outcome == .failed ? 1 : 0))
            #expect(meter.finished(.upload, outcome) == 0)
            #expect(meter.finished(.download, outcome) == 0)
        }
        #expect(meter.taskSeconds.sum == 6)
        #expect(meter.taskSeconds.counts.reduce(0, +) == 4)
        #expect(meters["gitlab"].finished(.data, .failed) == 1)
        #expect(meters["other"].taskSeconds.sum == 0)
    }

    @Test("An attempt is counted for the class of its status and for its error; attempts after the first are retries")
    func attempts() {
        let progress = TransferProgress(sent: 10, received: 200)
        for (number, status) in [nil, 200, 204, 503, 999, -5].enumerated() {
            meters.attemptEnded(
                of: Self.task(.running, attempts: number + 1),
                EndedAttempt(
                    number: number + 1, method: .get, error: status == nil ? SessionError(.timedOut, "Too late") : nil,
                    status: status),
                duration: .milliseconds(500), progress: progress)
        }
        let meter = meters["github"]
        #expect(meter.attempts == [3, 0, 2, 0, 0, 1], "none, 1xx and so on")
        #expect(meter.errors == [.timedOut: 1])
        #expect(meter.retries == 5)
        #expect(meter.sentBytes == 60)
        #expect(meter.receivedBytes == 1200)
        #expect(meter.attemptSeconds.sum == 3)
    }
}
