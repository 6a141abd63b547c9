import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime
import HTTPTypes
import Logging
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The log of tasks", .timeLimit(.hang))
struct TaskLogTests {
    private let recorded = RecordedLog()
    private let clock = ManualClock()
    private let log: TaskLog

    init() {
        log = TaskLog(timer: SharedTimer(clock), logger: recorded.logger)
    }

    private static func failed(
        _ number: Int, session: String = "github", code: String = "timed_out", state: TaskState = .failed
    ) -> TaskRecord {
        var record = TaskRecord.sample(number, session: session, state: state, labels: ["team": "billing"])
        record.change {
            $0.attemptCount = 3
            $0.trace = .sample(number)
            $0.specification.request = Array(#"{"method":"PUT","url":"https://example.com/a?token=secret"}"#.utf8)
            $0.result.response = Array(#""status":503,"headers":{}"#.utf8)
            $0.result.error = Array(#"{"code":"\#(code)","message":"The upstream \#(code)"}"#.utf8)
        }
        return record
    }

    @Test("A line has what identifies the task and its failure, and no query")
    func line() throws {
        let record = Self.failed(1)
        log.taskWasStored(record)
        #expect(recorded.lines.count == 1)
        let line = try #require(recorded.lines.first)
        #expect(line.level == .warning)
        #expect(line.message == "Task failed")
        #expect(
            line.metadata == [
                "task": record.id.description, "kind": "data", "session": "github", "code": "timed_out",
                "error": "The upstream timed_out", "attempts": "3", "method": "PUT", "url": "https://example.com/a",
                "status": "503", "labels": #"["team": "billing"]"#,
                "trace_id": "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a001",
            ])
    }

    @Test("A delivery names the task that it is about; what cannot be read is left out")
    func delivery() throws {
        var record = TaskRecord.sample(1, kind: .callback, state: .failed)
        record.change {
            $0.parent = .sample(2)
            $0.specification.request = [0xFF]
        }
        log.taskWasStored(record)
        let line = try #require(recorded.lines.first)
        #expect(
            line.metadata == [
                "task": record.id.description, "kind": "callback", "session": "github", "code": "unknown",
                "attempts": "0", "parent": TaskID.sample(2).description,
            ])
    }

    @Test("Other states are not logged", arguments: TaskState.allCases.filter { $0 != .failed })
    func otherStates(state: TaskState) {
        log.taskWasStored(Self.failed(1, state: state))
        #expect(recorded.lines.isEmpty)
    }

    @Test("On request the other ends are logged too", arguments: TaskState.allCases.filter { $0 != .failed })
    func ends(state: TaskState) throws {
        log.logsEnds = true
        var record = Self.failed(1, state: state)
        record.change { $0.finishedAt = $0.createdAt.adding(.milliseconds(1500)) }
        log.taskWasStored(record)
        guard state.isTerminal else { return #expect(recorded.lines.isEmpty) }
        let line = try #require(recorded.lines.first)
        #expect(line.level == .info)
        #expect(line.message == "Task ended")
        #expect(
            line.metadata == [
                "task": record.id.description, "kind": "data", "session": "github", "state": state.rawValue,
                "attempts": "3", "method": "PUT", "url": "https://example.com/a", "status": "503",
                "labels": #"["team": "billing"]"#, "trace_id": "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a001",
                "duration_ms": "1500.0",
            ])
        log.logsEnds = false
        log.taskWasStored(record)
        #expect(recorded.lines.count == 1)
    }

    @Test("With the ends of all tasks, each failure has a line of its own, however many are alike")
    func failures() {
        log.logsEnds = true
        let records = (0..<11).map { Self.failed($0) }
        for record in records { log.taskWasStored(record) }
        let ids = recorded.lines.map { $0["task"] ?? "" }
        #expect(ids == records.map(\.id.description))
        #expect(recorded.lines.allSatisfy { $0.level == .warning && $0.message == "Task failed" })
        // None of them counts as a repetition later.
        log.logsEnds = false
        for record in records { log.taskWasStored(record) }
        log.close()
        #expect(recorded.lines.count == 11 + RepeatedWarnings.Subject.failedTask.burst + 1)
        #expect(recorded.lines.last?.metadata == ["session": "github", "code": "timed_out", "tasks": "1"])
    }

    @Test("Nothing is logged or counted below the level of the log")
    func level() {
        var logger = recorded.logger
        logger.logLevel = .error
        let silent = TaskLog(timer: SharedTimer(clock), logger: logger)
        silent.logsEnds = true
        for number in 0..<30 {
            silent.taskWasStored(Self.failed(number))
            silent.taskWasStored(Self.failed(number, state: .succeeded))
            silent.queueWasFull(of: "github", maxQueued: 1)
        }
        silent.close()
        #expect(recorded.lines.isEmpty)
    }

    // MARK: Attempts

    private let attempt = EndedAttempt(
        number: 2, method: .post, error: SessionError(.timedOut, "No byte was received"), status: 200)

    @Test("An attempt is logged for debugging")
    func attempts() throws {
        let record = Self.failed(1)
        let next = Timestamp(milliseconds: 1_795_000_000_000)
        log.attemptDidEnd(attempt, of: record, duration: .microseconds(2500), next: next)
        #expect(recorded.lines.count == 1)
        let line = try #require(recorded.lines.first)
        #expect(line.level == .debug)
        #expect(line.message == "Attempt ended")
        #expect(
            line.metadata == [
                "task": record.id.description, "kind": "data", "session": "github", "attempt": "2",
                "duration_ms": "2.5", "status": "200", "code": "timed_out", "error": "No byte was received",
                "next_attempt_at": next.description, "trace_id": "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a001",
                "span_id": TraceContext.spanID(ofAttempt: 3, of: record.id),
            ])
        log.attemptDidEnd(EndedAttempt(number: 1, method: .get), of: .sample(2), duration: .zero, next: nil)
        #expect(
            recorded.lines.last?.metadata == [
                "task": TaskID.sample(2).description, "kind": "data", "session": "github", "attempt": "1",
                "duration_ms": "0.0",
            ])
    }

    @Test("A callback that is not delivered is a warning, unless no attempt follows, which is the end of the task")
    func callbacks() throws {
        var logger = recorded.logger
        logger.logLevel = .info
        let log = TaskLog(timer: SharedTimer(clock), logger: logger)
        var delivery = Self.failed(1, state: .waiting)
        delivery.change { $0.parent = .sample(2) }
        log.attemptDidEnd(attempt, of: delivery, duration: .zero, next: nil)
        log.attemptDidEnd(attempt, of: Self.failed(3), duration: .zero, next: .latest)
        #expect(recorded.lines.isEmpty)
        for _ in 0..<12 { log.attemptDidEnd(attempt, of: delivery, duration: .zero, next: .latest) }
        #expect(recorded.lines.count == 10)
        let line = try #require(recorded.lines.first)
        #expect(line.level == .warning)
        #expect(line.message == "Callback not delivered; another attempt follows")
        #expect(line["parent"] == TaskID.sample(2).description)
        #expect(line["url"] == "https://example.com/a")
        #expect(line["code"] == "timed_out")
        log.close()
        #expect(recorded.lines.last?.metadata == ["session": "github", "code": "timed_out", "attempts": "2"])
    }

    // MARK: Sessions

    @Test("A circuit that opens or closes is a warning")
    func circuits() {
        let settings = CircuitBreakerConfiguration(failures: 5, open: .seconds(30))
        log.circuitDidChange(.opened, of: "github", settings)
        log.circuitDidChange(.closed, of: "github", settings)
        #expect(recorded.lines.map(\.level) == [.warning, .warning])
        #expect(
            recorded.lines.map(\.message) == [
                "Circuit opened: the upstream keeps failing, and no attempt starts",
                "Circuit closed: the upstream works again",
            ])
        #expect(
            recorded.lines.map(\.metadata) == [
                ["session": "github", "failures": "5", "next_attempt_in": "30s"], ["session": "github"],
            ])
        for _ in 0..<10 { log.circuitDidChange(.opened, of: "github", nil) }
        log.close()
        #expect(recorded.lines.count == 11)
        #expect(recorded.lines.last?.metadata == ["session": "github", "changes": "2"])
    }

    @Test("A full queue is one warning for each session, and the other refused tasks are counted")
    func queues() {
        for _ in 0..<100 { log.queueWasFull(of: "github", maxQueued: 7) }
        log.queueWasFull(of: "gitlab", maxQueued: nil)
        #expect(
            recorded.lines.map(\.metadata) == [["session": "github", "max_queued": "7"], ["session": "gitlab"]])
        log.close()
        #expect(recorded.lines.count == 3)
        #expect(recorded.lines.last?.message == "More tasks were refused because the queue is full")
        #expect(recorded.lines.last?.metadata == ["session": "github", "tasks": "99"])
    }

    @Test("A task that cannot be read is one error for each session and code, and the others are counted")
    func unreadable() {
        var sealed = TaskStoreError(.sealed, "The record is sealed with another key")
        sealed.session = "github"
        for number in 0..<100 { log.taskIsUnreadable(.sample(number), sealed) }
        log.taskIsUnreadable(.sample(100), TaskStoreError(.corrupt, "Damaged", underlying: "column content"))
        #expect(recorded.lines.map(\.level) == [.error, .error])
        #expect(
            recorded.lines.map(\.metadata) == [
                [
                    "task": TaskID.sample(0).description,
                    "error": "sealed: The record is sealed with another key",
                ],
                ["task": TaskID.sample(100).description, "error": "corrupt: Damaged (column content)"],
            ])
        log.close()
        #expect(recorded.lines.count == 3)
        #expect(recorded.lines.last?.message == "More tasks could not be read")
        #expect(recorded.lines.last?.metadata == ["session": "github", "code": "sealed", "times": "99"])
    }

    @Test("A failure of the store is one error for each code, and its repetitions are counted")
    func store() {
        let full = TaskStoreError(.diskFull, "The disk is full", underlying: "SQLite 13")
        for _ in 0..<100 { log.storeDidFail("storing a task's progress", because: full) }
        log.storeDidFail("reading a task", of: .sample(1), because: TaskStoreError(.inputOutput, "The disk fails"))
        for number in 0..<50 { log.runWasDelayed(of: "s\(number)", because: full) }
        #expect(recorded.lines.map(\.level) == [.error, .error, .error])
        #expect(
            recorded.lines.map(\.metadata) == [
                ["what": "storing a task's progress", "error": "disk_full: The disk is full (SQLite 13)"],
                [
                    "what": "reading a task", "task": TaskID.sample(1).description,
                    "error": "input_output: The disk fails",
                ],
                ["schedule": "s0", "error": "disk_full: The disk is full (SQLite 13)"],
            ])
        log.close()
        let counts = recorded.lines.dropFirst(3).map { [$0.message, $0["code"], $0["times"]] }
        #expect(
            Set(counts) == [
                ["More operations of the store failed", "disk_full", "99"],
                ["More tasks of schedules could not be stored", "disk_full", "49"],
            ])
    }

    @Test("Queue ages that are missing in the metrics are one warning for each code, apart from failures of the store")
    func queueAges() {
        let failure = TaskStoreError(.inputOutput, "The disk fails")
        log.storeDidFail("reading a task", because: failure)
        for _ in 0..<100 { log.queueAgesAreMissing(because: failure) }
        log.queueAgesAreMissing(because: TaskStoreError(.busy, "The store does not answer"))
        #expect(recorded.lines.map(\.level) == [.error, .warning, .warning])
        let message = "Queue ages are missing in the metrics: the store does not tell them"
        #expect(recorded.lines.dropFirst().map(\.message) == [message, message])
        #expect(recorded.lines.dropFirst().first?.metadata == ["error": "input_output: The disk fails"])
        log.close()
        #expect(recorded.lines.count == 4)
        #expect(recorded.lines.last?.message == "More responses with metrics lack queue ages")
        #expect(recorded.lines.last?.metadata == ["code": "input_output", "times": "99"])
    }

    @Test("A delivery that cannot be read is logged with its parent, which is not the damaged task")
    func unreadableDelivery() {
        log.deliveryIsUnreadable(of: .sample(1), TaskStoreError(.corrupt, "Damaged"))
        #expect(recorded.lines.map(\.message) == ["A task cannot be read or changed"])
        #expect(
            recorded.lines.map(\.metadata) == [["parent": TaskID.sample(1).description, "error": "corrupt: Damaged"]])
    }

    @Test("Repetitions are counted and reported at the end of the interval, separately for sessions and codes")
    func repetitions() async throws {
        for number in 0..<30 { log.taskWasStored(Self.failed(number)) }
        log.taskWasStored(Self.failed(30, session: "gitlab"))
        log.taskWasStored(Self.failed(31, code: "unacceptable_status"))
        #expect(recorded.lines.count == RepeatedWarnings.Subject.failedTask.burst + 2)
        await clock.sleepers(1)
        clock.advance(by: RepeatedWarnings.interval + .seconds(1))
        let line = await recorded.line("More tasks failed in the same way")
        #expect(line.level == .warning)
        #expect(line.metadata == ["session": "github", "code": "timed_out", "tasks": "20"])
        // A new interval begins.
        log.taskWasStored(Self.failed(32))
        #expect(recorded.lines.last?["task"] == TaskID.sample(32).description)
        #expect(recorded.lines.filter { $0.message != "Task failed" }.count == 1)
    }

    @Test("The end of the gateway reports the repetitions so far")
    func close() {
        for number in 0..<12 { log.taskWasStored(Self.failed(number)) }
        log.close()
        #expect(recorded.lines.last?["tasks"] == "2")
        log.close()
        #expect(recorded.lines.count == RepeatedWarnings.Subject.failedTask.burst + 1)
    }
}
