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

    @Test("A wait in the queue is counted for each attempt that begins, but not for a task told to run at once")
    func waits() {
        for (wait, isAtOnce) in [(2500, false), (-1, false), (9000, true)] {
            var record = Self.task(.running)
            record.change {
                $0.updatedAt = $0.createdAt.adding(.milliseconds(wait))
                $0.readyAt = isAtOnce ? .earliest : $0.createdAt
            }
            meters.attemptBegan(of: record)
        }
        let waits = meters["github"].waitSeconds
        #expect(waits.counts.reduce(0, +) == 2)
        #expect(waits.sum == 2.5, "A clock that was set back makes no negative wait")
    }

    @Test("The phases that an attempt had are counted, each from the end of the phase before")
    func phases() {
        var first = TransferMetrics()
        first.nameLookup = .milliseconds(10)
        first.connect = .milliseconds(30)
        first.tlsHandshake = .milliseconds(70)
        first.requestSent = .milliseconds(80)
        first.firstByte = .milliseconds(580)
        first.total = .milliseconds(1580)
        meters.attemptMeasured(of: Self.task(.running), first)
        var reused = TransferMetrics()
        reused.requestSent = .milliseconds(5)
        reused.firstByte = .milliseconds(3)
        reused.total = .milliseconds(8)
        meters.attemptMeasured(of: Self.task(.running), reused)
        var refused = TransferMetrics()
        refused.nameLookup = .milliseconds(10)
        refused.total = .milliseconds(200)
        meters.attemptMeasured(of: Self.task(.running), refused)
        let meter = meters["github"]
        let seconds = AttemptPhase.allCases.map { phase in
            (meter.seconds(of: phase).sum * 1000).rounded() / 1000
        }
        let counts = AttemptPhase.allCases.map { meter.seconds(of: $0).counts.reduce(0, +) }
        #expect(seconds == [0.02, 0.02, 0.04, 0.015, 0.5, 1.005])
        #expect(counts == [2, 1, 1, 2, 2, 2])
    }
}
