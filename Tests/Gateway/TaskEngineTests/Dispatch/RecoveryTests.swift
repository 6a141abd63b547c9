import ErrandConfiguration
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("Recovery")
struct RecoveryTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func recovered(_ record: TaskRecord, _ retry: RetryConfiguration = RetryConfiguration()) -> TaskRecord? {
        Recovery(retry: retry).update(after: record, at: now)?.record
    }

    private func interrupted(_ state: TaskState, method: String) -> TaskRecord {
        var values = TaskRecord.sample(1, state: state).values
        values.beginAttempt(at: values.createdAt)
        values.specification.request = Array(#"{"method":"\#(method)"}"#.utf8)
        return TaskRecord(values)
    }

    @Test("An attempt that may be repeated returns its task to the queue", arguments: ["GET", "PUT", "DELETE"])
    func idempotent(method: String) throws {
        let record = interrupted(.running, method: method)
        let next = try #require(recovered(record))
        #expect(next.state == .queued)
        #expect(next.revision == record.revision + 1)
        #expect(next.updatedAt == now)
        #expect(next.finishedAt == nil)
        #expect(next.result.error == nil)
        #expect(next.attemptCount == 1)
        #expect(String(decoding: next.result.attempts, as: UTF8.self).contains(#""code":"interrupted""#))
    }

    @Test("An attempt that a client wanted at once is not first again")
    func runNow() throws {
        var record = interrupted(.running, method: "GET")
        record.change { $0.readyAt = .earliest }
        let next = try #require(recovered(record))
        #expect(next.state == .queued)
        #expect(next.readyAt == now)
    }

    @Test("An attempt that must not be repeated fails its task", arguments: ["POST", "PATCH", "M-SEARCH"])
    func notIdempotent(method: String) throws {
        let next = try #require(recovered(interrupted(.running, method: method)))
        #expect(next.state == .failed)
        #expect(next.finishedAt == now)
        #expect(next.result.error == TaskErrorDocument.interrupted(notRetried: .mayHaveArrived))
    }

    @Test("A task that is not sent again says why")
    func reasons() throws {
        var retry = RetryConfiguration()
        retry.maxAttempts = 1
        let last = try #require(recovered(interrupted(.running, method: "GET"), retry))
        #expect(last.result.error == TaskErrorDocument.interrupted(notRetried: .attempts))
        retry.maxAttempts = 2
        retry.afterCrash = .fail
        let forbidden = try #require(recovered(interrupted(.running, method: "GET"), retry))
        #expect(forbidden.result.error == TaskErrorDocument.interrupted(notRetried: .afterCrash))
    }

    @Test("A stored request that cannot be read must not be repeated")
    func unreadable() {
        var record = interrupted(.running, method: "GET")
        record.change { $0.specification.request = [0xFF] }
        #expect(recovered(record)?.state == .failed)
    }

    @Test("A canceling task becomes canceled, whatever its method", arguments: ["GET", "POST"])
    func canceling(method: String) throws {
        let next = try #require(recovered(interrupted(.canceling, method: method)))
        #expect(next.state == .canceled)
        #expect(next.result.error == TaskErrorDocument.canceled)
    }

    @Test("A suspended attempt leaves its task suspended, or failed if it must not be repeated")
    func standingStill() throws {
        for (method, state) in [("GET", TaskState.suspended), ("POST", .failed)] {
            var record = interrupted(.suspended, method: method)
            try record.change { $0.life = try #require(TaskLifecycle(state: .suspended, hasOpenAttempt: true)) }
            let next = try #require(recovered(record))
            #expect(next.state == state)
            #expect(!next.hasOpenAttempt)
            #expect(next.revision == record.revision + 1)
            #expect(String(decoding: next.result.attempts, as: UTF8.self).contains(#""code":"interrupted""#))
        }
    }

    @Test("A suspended task without an attempt stays as it is")
    func suspended() {
        let record = interrupted(.suspended, method: "POST")
        #expect(recovered(record) == nil)
    }

    @Test("A task that was not interrupted stays as it is", arguments: [TaskState.queued, .succeeded, .canceled])
    func others(state: TaskState) {
        let record = TaskRecord.sample(1, state: state)
        #expect(recovered(record) == nil)
    }

    @Test("`resend` repeats a request that may have arrived; `fail` repeats nothing; both must be configured")
    func afterCrash() {
        var retry = RetryConfiguration()
        retry.afterCrash = .resend
        #expect(recovered(interrupted(.running, method: "POST"), retry)?.state == .queued)
        retry.afterCrash = .fail
        #expect(recovered(interrupted(.running, method: "GET"), retry)?.state == .failed)
    }

    @Test(
        "With `max_attempts: 1` nothing is repeated, whatever `after_crash` says",
        arguments: RetryConfiguration.AfterCrash.allCases)
    func once(rule: RetryConfiguration.AfterCrash) {
        var retry = RetryConfiguration()
        retry.maxAttempts = 1
        retry.afterCrash = rule
        let next = recovered(interrupted(.running, method: "GET"), retry)
        #expect(next?.state == .failed)
        #expect(next?.result.error == TaskErrorDocument.interrupted(notRetried: .attempts))
    }

    @Test("A request with an Idempotency-Key may be repeated, whatever its method")
    func idempotencyKey() {
        var record = interrupted(.running, method: "POST")
        record.change {
            $0.specification.request = Array(#"{"method":"POST","headers":{"idempotency-key":"\"1\""}}"#.utf8)
        }
        #expect(recovered(record)?.state == .queued)
    }

    @Test("After the maximum number of attempts, none is repeated", arguments: [2, 3, 4])
    func bounded(attempts: Int) {
        var retry = RetryConfiguration()
        retry.afterCrash = .resend
        var record = interrupted(.running, method: "GET")
        record.change { $0.attemptCount = attempts }
        #expect(recovered(record, retry)?.state == (attempts < 3 ? .queued : .failed))
    }

    @Test("A callback is sent again, however often it was tried")
    func callback() {
        var retry = RetryConfiguration()
        retry.afterCrash = .fail
        var record = TaskRecord.sample(1, kind: .callback, state: .running)
        record.change { $0.attemptCount = 7 }
        #expect(recovered(record, retry)?.state == .queued)
    }

    @Test("A task that recovery ends gets the retention time of failed tasks; a continuing task gets none")
    func expiry() {
        var completion = TaskCompletion()
        completion.retention.failed = .seconds(60)
        let recovery = Recovery(retry: RetryConfiguration(), completion: completion)
        let failed = recovery.update(after: interrupted(.running, method: "POST"), at: now)?.record
        #expect(failed?.expiresAt == now.adding(.seconds(60)))
        #expect(recovery.update(after: interrupted(.running, method: "GET"), at: now)?.record.expiresAt == nil)
    }
}
