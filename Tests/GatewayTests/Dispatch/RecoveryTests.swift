import Support
import TaskStore
import Testing

@testable import Gateway

@Suite("Recovery")
struct RecoveryTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func interrupted(_ state: TaskState, method: String) -> TaskRecord {
        var record = TaskRecord.sample(1, state: state)
        record.beginAttempt(at: record.createdAt)
        record.specification.request = Array(#"{"method":"\#(method)"}"#.utf8)
        return record
    }

    @Test("An attempt that may be repeated puts its task back into the queue", arguments: ["GET", "PUT", "DELETE"])
    func idempotent(method: String) {
        let record = interrupted(.running, method: method)
        let next = Recovery.record(after: record, at: now)
        #expect(next.state == .queued)
        #expect(next.revision == record.revision + 1)
        #expect(next.updatedAt == now)
        #expect(next.finishedAt == nil)
        #expect(next.result.error == nil)
        #expect(next.attemptCount == 1)
        #expect(String(decoding: next.result.attempts, as: UTF8.self).contains(#""code":"interrupted""#))
    }

    @Test("One that must not be repeated unasked fails its task", arguments: ["POST", "PATCH", "M-SEARCH"])
    func notIdempotent(method: String) {
        let next = Recovery.record(after: interrupted(.running, method: method), at: now)
        #expect(next.state == .failed)
        #expect(next.finishedAt == now)
        #expect(next.result.error == TaskErrorDocument.interrupted)
    }

    @Test("A stored request that cannot be read is taken for one that must not be repeated")
    func unreadable() {
        var record = interrupted(.running, method: "GET")
        record.specification.request = [0xFF]
        #expect(Recovery.record(after: record, at: now).state == .failed)
    }

    @Test("A task that was told canceling is canceled, whatever its method", arguments: ["GET", "POST"])
    func canceling(method: String) {
        let next = Recovery.record(after: interrupted(.canceling, method: method), at: now)
        #expect(next.state == .canceled)
        #expect(next.result.error == TaskErrorDocument.canceled)
    }

    @Test("An attempt that stood still leaves its task suspended, or failed when it must not be repeated")
    func standingStill() throws {
        for (method, state) in [("GET", TaskState.suspended), ("POST", .failed)] {
            var record = interrupted(.suspended, method: method)
            record.life = try #require(TaskLifecycle(state: .suspended, hasOpenAttempt: true))
            let next = Recovery.record(after: record, at: now)
            #expect(next.state == state)
            #expect(!next.hasOpenAttempt)
            #expect(next.revision == record.revision + 1)
            #expect(String(decoding: next.result.attempts, as: UTF8.self).contains(#""code":"interrupted""#))
        }
    }

    @Test("A suspended task without an attempt stays as it is")
    func suspended() {
        let record = interrupted(.suspended, method: "POST")
        #expect(Recovery.record(after: record, at: now) == record)
    }

    @Test("A task that was not interrupted stays as it is", arguments: [TaskState.queued, .succeeded, .canceled])
    func others(state: TaskState) {
        let record = TaskRecord.sample(1, state: state)
        #expect(Recovery.record(after: record, at: now) == record)
    }
}
