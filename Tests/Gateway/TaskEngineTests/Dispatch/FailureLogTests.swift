import ErrandSupport
import ErrandTaskEvents
import ErrandTaskStore
import Logging
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The log of failed tasks", .timeLimit(.hang))
struct FailureLogTests {
    private let recorded = RecordedLog()
    private let clock = ManualClock()
    private let log: FailureLog

    init() {
        log = FailureLog(timer: SharedTimer(clock), logger: recorded.logger)
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

    @Test("Repetitions are counted and reported at the end of the interval, separately for sessions and codes")
    func repetitions() async throws {
        for number in 0..<30 { log.taskWasStored(Self.failed(number)) }
        log.taskWasStored(Self.failed(30, session: "gitlab"))
        log.taskWasStored(Self.failed(31, code: "unacceptable_status"))
        #expect(recorded.lines.count == FailureLog.burst + 2)
        await clock.sleepers(1)
        clock.advance(by: FailureLog.interval + .seconds(1))
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
        #expect(recorded.lines.count == FailureLog.burst + 1)
    }
}
