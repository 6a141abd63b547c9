import ErrandJSON
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: retries", .timeLimit(.hang))
struct DispatcherRetryTests {
    private let time = ManualClock()

    /// Returns an upstream that responds with these statuses in order, then with the last one.
    private func upstream(
        _ statuses: [Int], headers: [String: String] = [:]
    ) -> @Sendable (TransferRequest) -> [ScriptedTransport.Step] {
        let rest = Mutex(statuses[...])
        return { _ in
            let status = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
            var head = ResponseHead(status: status, headers: [.contentType: "application/json"])
            if status == 429, let retryAfter = headers["Retry-After"] { head.headers[.retryAfter] = retryAfter }
            return [.head(head), .bytes(Array("{}".utf8))]
        }
    }

    private func configuration(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> SessionConfiguration
    {
        var configuration = try DispatcherFixture.configuration()
        change(&configuration)
        return configuration
    }

    /// Advances the time by the pause of a waiting task.
    private func pass(_ duration: Duration) async {
        await time.sleepers(2)
        time.advance(by: duration)
    }

    @Test("A failed task waits for its pause and is retried; each attempt has its item")
    func retries() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503, 500, 200]))
        try await fixture.open {
            let task = try await fixture.create()
            let waiting = try #require(try await fixture.reaches(.waiting, task))
            #expect(waiting.nextAttemptAt == DispatcherFixture.start.adding(.milliseconds(500)))
            #expect(waiting.result.error == nil)
            await pass(.milliseconds(500))
            let again = try #require(
                try await fixture.first(of: task) { $0.attemptCount == 2 && $0.state == .waiting })
            #expect(again.nextAttemptAt == DispatcherFixture.start.adding(.milliseconds(1500)))
            await pass(.seconds(1))
            let finished = try #require(try await fixture.finished(task))
            #expect(finished.state == .succeeded)
            #expect(finished.attemptCount == 3)
            let attempts = String(decoding: finished.result.attempts, as: UTF8.self)
            for part in [#""number":1"#, #""status":503"#, #""number":2"#, #""status":500"#, #""number":3"#] {
                #expect(attempts.contains(part))
            }
        }
    }

    @Test("After the last attempt a task fails, with the last error and its response")
    func givesUp() async throws {
        let configuration = try configuration { $0.retry.maxAttempts = 2 }
        let fixture = try DispatcherFixture(time: time, configuration: configuration, upstream([503]))
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.reaches(.waiting, task)
            await pass(.seconds(1))
            let failed = try #require(try await fixture.finished(task))
            #expect(failed.state == .failed)
            #expect(failed.attemptCount == 2)
            #expect(String(decoding: failed.result.error ?? [], as: UTF8.self).contains(#""unacceptable_status""#))
            #expect(failed.result.response != nil)
            #expect(failed.reasonNotToRetry == "attempts")
        }
    }

    @Test("A retry without a token is postponed until there is one, but not beyond max_elapsed")
    func budget() async throws {
        let configuration = try configuration {
            $0.retry.budget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 0)
            $0.retry.maxElapsed = .seconds(4)
        }
        let fixture = try DispatcherFixture(time: time, configuration: configuration, upstream([503]))
        try await fixture.open {
            let task = try await fixture.create()
            let waiting = try #require(try await fixture.reaches(.waiting, task))
            fixture.dispatcher.spendRetries(10, of: "up")
            await pass(.milliseconds(500))
            let off = try #require(
                try await fixture.context.wait(
                    for: waiting, until: .changed(from: waiting.revision), timeout: .unlimited))
            #expect(off.state == .waiting)
            #expect(off.attemptCount == 1)
            // A token is added every thousand seconds, which is later than the task may be tried.
            #expect(off.nextAttemptAt == DispatcherFixture.start.adding(.seconds(4)))
            await pass(.milliseconds(3500))
            let failed = try #require(try await fixture.finished(task))
            #expect(failed.state == .failed)
            #expect(failed.attemptCount == 2)
            #expect(failed.reasonNotToRetry == "time")
        }
    }

    /// Runs `body` with a dispatcher whose retries get a token every thousand seconds, and an upstream that fails once.
    private func withoutTokens(_ body: (DispatcherFixture) async throws -> Void) async throws {
        let configuration = try configuration {
            $0.retry.budget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 0)
        }
        let fixture = try DispatcherFixture(time: time, configuration: configuration, upstream([503, 200]))
        try await fixture.open { try await body(fixture) }
    }

    @Test("A pause that ends later by the clock as it was set is moved, and not postponed for want of a token")
    func budgetAndClockSet() async throws {
        try await withoutTokens { fixture in
            let due = DispatcherFixture.start.adding(.seconds(-1))
            var task = TaskRecord.sample(1, session: "up", state: .waiting)
            task.change {
                $0.attemptCount = 1
                $0.nextAttemptAt = due
                $0.clockOffset = .seconds(-3600)
            }
            for insertion in await fixture.store.insert([NewTask(task)]) { _ = try insertion.get() }
            fixture.dispatcher.spendRetries(10, of: "up")
            await fixture.dispatcher.deliver(.timeCame, to: task)
            let moved = try await fixture.stored(task)
            #expect(moved?.state == .waiting)
            #expect(moved?.nextAttemptAt == due.adding(.seconds(3600)))
        }
    }

    @Test("A retry without a token is made at once if there is none before the deadline")
    func budgetUntilDeadline() async throws {
        try await withoutTokens { fixture in
            let deadline = fixture.now().adding(.seconds(4))
            let task = try await fixture.create("a", #","deadline":"\#(deadline)""#)
            _ = try await fixture.reaches(.waiting, task)
            fixture.dispatcher.spendRetries(10, of: "up")
            // The sweeper sleeps, and an alarm for the pause and the deadline each.
            await time.sleepers(3)
            time.advance(by: .milliseconds(500))
            let finished = try #require(try await fixture.finished(task))
            #expect(finished.state == .succeeded)
            #expect(finished.attemptCount == 2)
        }
    }

    @Test("A retry behind many others tries again before its deadline, and is not sent at once")
    func longQueueUntilDeadline() async throws {
        try await withoutTokens { fixture in
            let deadline = fixture.now().adding(.seconds(300))
            let task = try await fixture.create("a", #","deadline":"\#(deadline)""#)
            let waiting = try #require(try await fixture.reaches(.waiting, task))
            // The last of them tries again after more than five minutes.
            fixture.dispatcher.spendRetries(100_000, of: "up")
            // The sweeper, and an alarm for the pause and the deadline each.
            await time.sleepers(3)
            time.advance(by: .milliseconds(500))
            let off = try #require(
                try await fixture.context.wait(
                    for: waiting, until: .changed(from: waiting.revision), timeout: .unlimited))
            #expect(off.state == .waiting)
            #expect(off.attemptCount == 1)
            // A quarter to half a minute before the deadline, by the random number.
            #expect(off.nextAttemptAt == deadline.adding(.milliseconds(-22_500)))
        }
    }

    /// Stores tasks between two attempts, whose pauses end one after the other.
    private func waiting(
        _ count: Int, apart interval: Duration, in fixture: DispatcherFixture
    ) async throws -> [TaskRecord] {
        let tasks = (1...count).map { number in
            var task = TaskRecord.sample(number, session: "up", state: .waiting)
            task.change {
                $0.attemptCount = 1
                $0.startedAt = $0.createdAt
                $0.nextAttemptAt = DispatcherFixture.start.adding(interval * number)
            }
            return task
        }
        for insertion in await fixture.store.insert(tasks.map { NewTask($0) }) { _ = try insertion.get() }
        return tasks
    }

    /// Advances the time until as many tasks as given are in a state.
    private func pass(until count: Int, are state: TaskState, in fixture: DispatcherFixture) async throws {
        try await until {
            let counts = try await fixture.store.counts()
            if counts["up", state] == count { return true }
            if time.sleeperCount >= 2 { time.advance(by: .milliseconds(250)) }
            return false
        }
    }

    @Test(
        "The retries that became due in a suspended session begin with the tokens of the bucket, and the others follow",
        // With the second one, the time in which they may be tried is over when they begin.
        arguments: [Duration.zero, .seconds(48 * 3600)])
    func budgetAfterSuspension(hold: Duration) async throws {
        let configuration = try configuration {
            $0.limits.concurrent = 100
            $0.retry.budget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 2)
        }
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(time: time, configuration: configuration) { _ in
            [.wait(gate)] + DispatcherFixture.response
        }
        // As many in a second as there are tokens.
        let tasks = try await waiting(40, apart: .milliseconds(500), in: fixture)
        try await fixture.open {
            fixture.dispatcher.apply(SessionControlState(name: "up", isSuspended: true))
            try await pass(until: 40, are: .queued, in: fixture)
            time.advance(by: hold)
            fixture.dispatcher.apply(SessionControlState(name: "up"))
            try await until {
                let counts = try await fixture.store.counts()
                return counts["up", .queued] == 0
            }
            let counts = try await fixture.store.counts()
            // Twenty tokens: those of ten seconds.
            #expect(counts["up", .running] == 20)
            #expect(counts["up", .waiting] == 20)
            gate.open()
            try await pass(until: 40, are: .succeeded, in: fixture)
            for task in tasks {
                let ended = try await fixture.stored(task)
                #expect(ended?.attemptCount == 2)
            }
        }
    }

    @Test("A retry that is canceled, suspended or postponed while it is queued takes no token")
    func tokensOfQueued() async throws {
        try await withoutTokens { fixture in
            fixture.dispatcher.apply(SessionControlState(name: "up", isSuspended: true))
            let tasks = try await waiting(10, apart: .zero, in: fixture)
            for (number, task) in tasks.enumerated() {
                await fixture.dispatcher.deliver(.timeCame, to: task)
                let queued = try await fixture.reaches(.queued, task)
                #expect(queued?.state == .queued)
                switch number % 3 {
                case 0: _ = try await fixture.dispatcher.cancel(task.id)
                case 1: _ = try await fixture.dispatcher.suspend(task.id)
                default:
                    var edit = TaskEdit()
                    edit.notBefore = .some(fixture.now().adding(.seconds(3600)))
                    _ = try await fixture.dispatcher.edit(task.id, edit)
                }
                let changed = try await fixture.stored(task)
                #expect(changed?.state != .queued)
            }
            #expect(fixture.dispatcher.takeTokens(of: "up") == 10)
        }
    }

    @Test("A retry that run-now has started returns no token when it succeeds")
    func runNowTakesNoToken() async throws {
        try await withoutTokens { fixture in
            let task = try await fixture.create()
            _ = try await fixture.reaches(.waiting, task)
            #expect(fixture.dispatcher.takeTokens(of: "up") == 10)
            _ = try await fixture.dispatcher.runNow(task.id)
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.dispatcher.takeTokens(of: "up") == 0)
        }
    }

    @Test("A POST that may have arrived is not sent again", arguments: [503, 429])
    func post(status: Int) async throws {
        let fixture = try DispatcherFixture(time: time, upstream([status]))
        try await fixture.open {
            let failed = try await fixture.finished(fixture.create(method: "POST"))
            #expect(failed?.state == .failed)
            #expect(fixture.paths.count == 1)
            #expect(failed?.reasonNotToRetry == "may_have_arrived")
        }
    }

    @Test("A status that is not one of retry.statuses is the reason not to retry; a final error has no reason")
    func otherStatus() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([404]))
        try await fixture.open {
            let failed = try await fixture.finished(fixture.create())
            #expect(failed?.reasonNotToRetry == "status")
        }
        let unreadable = try DispatcherFixture(time: time) { _ in
            [.head(ResponseHead(status: 200)), .fail(TransferError(.badContentEncoding, "no"))]
        }
        try await unreadable.open {
            let failed = try await unreadable.finished(unreadable.create())
            #expect(failed?.state == .failed)
            #expect(failed?.reasonNotToRetry == nil)
        }
    }

    @Test("The items of the attempts do not have the reason, which is that of the task")
    func reasonOfTask() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503]))
        try await fixture.open {
            let failed = try #require(try await fixture.finished(fixture.create(method: "POST")))
            #expect(!String(decoding: failed.result.attempts, as: UTF8.self).contains("not_retried"))
        }
    }

    @Test("A task overrides the number of its attempts")
    func overrides() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503]))
        try await fixture.open {
            let failed = try await fixture.finished(fixture.create("a", #","retry":{"max_attempts":1}"#))
            #expect(failed?.state == .failed)
            #expect(failed?.attemptCount == 1)
        }
    }

    @Test("A retry that would begin after the deadline is not waited for")
    func deadline() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503]))
        try await fixture.open {
            let deadline = fixture.now().adding(.milliseconds(400))
            let task = try await fixture.create("a", #","deadline":"\#(deadline)""#)
            let failed = try #require(try await fixture.finished(task))
            #expect(failed.state == .failed)
            #expect(failed.attemptCount == 1)
            #expect(String(decoding: failed.result.error ?? [], as: UTF8.self).contains(#""unacceptable_status""#))
            #expect(failed.reasonNotToRetry == "deadline")
        }
    }

    @Test("Retry-After of a 429 pauses the whole session for exactly as long as it says")
    func retryAfter() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([429, 200], headers: ["Retry-After": "2"]))
        try await fixture.open {
            let task = try await fixture.create("first")
            _ = try await fixture.reaches(.waiting, task)
            let other = try await fixture.create("second")
            #expect(other.state == .queued)
            #expect(fixture.dispatcher.liveState(of: other).waitReason == .retryAfter)
            let conditions = try #require(fixture.dispatcher.conditions(of: "up"))
            #expect(conditions.waitReason == .retryAfter)
            #expect(conditions.quietUntil == DispatcherFixture.start.adding(.seconds(2)))
            #expect(conditions.waitUntil == conditions.quietUntil)
            let delayed = try await fixture.create("third", #","delay":"1999ms""#)
            await time.sleepers(3)
            time.advance(by: .milliseconds(1999))
            // The alarm rang: the task that became due is queued, and the session is still paused.
            _ = try await fixture.reaches(.queued, delayed)
            await time.sleepers(3)
            #expect(try await fixture.stored(other)?.state == .queued)
            #expect(fixture.paths == ["/first"])
            time.advance(by: .milliseconds(1))
            try await fixture.expect(.succeeded, of: other)
            try await fixture.expect(.succeeded, of: task)
            #expect(try await fixture.stored(other)?.startedAt == DispatcherFixture.start.adding(.seconds(2)))
            #expect(fixture.dispatcher.conditions(of: "up")?.waitReason == nil)
        }
    }

    @Test("An open circuit pauses the session, then allows one attempt; its success closes the circuit")
    func circuit() async throws {
        let configuration = try configuration { configuration in
            configuration.circuitBreaker.failures = 2
            configuration.retry.maxAttempts = 1
        }
        let fixture = try DispatcherFixture(time: time, configuration: configuration, upstream([503, 503, 200]))
        try await fixture.open {
            for _ in 0..<2 { try await fixture.expect(.failed, of: fixture.create()) }
            #expect(fixture.dispatcher.conditions(of: "up")?.circuit == .open)
            let task = try await fixture.create()
            #expect(fixture.dispatcher.liveState(of: task).waitReason == .circuitOpen)
            await pass(.seconds(30))
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.dispatcher.conditions(of: "up")?.circuit == .closed)
        }
    }

    @Test("Attempts start at the session's rate, and the waiting tasks show the rate as the reason")
    func rate() async throws {
        let configuration = try configuration { configuration in
            configuration.limits.rate = StartRate(10, per: .seconds(1))
            configuration.limits.burst = 2
        }
        let fixture = try DispatcherFixture(time: time, configuration: configuration)
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for number in 0..<4 { tasks.append(try await fixture.create("\(number)")) }
            for task in tasks.prefix(2) { try await fixture.expect(.succeeded, of: task) }
            #expect(fixture.dispatcher.liveState(of: tasks[2]).waitReason == .rate)
            let conditions = try #require(fixture.dispatcher.conditions(of: "up"))
            #expect(conditions.waitReason == .rate)
            #expect(conditions.waitUntil == DispatcherFixture.start.adding(.milliseconds(100)))
            await pass(.milliseconds(100))
            try await fixture.expect(.succeeded, of: tasks[2])
            #expect(try await fixture.stored(tasks[3])?.state == .queued)
            await pass(.milliseconds(100))
            try await fixture.expect(.succeeded, of: tasks[3])
        }
    }
}

extension Dispatcher {
    /// Takes tokens from the retry budget of a session.
    fileprivate func spendRetries(_ count: Int, of session: String) {
        state.withLock { state in
            for _ in 0..<count { _ = state.admission.takeRetry(session: session, at: context.monotonic.now) }
        }
    }

    /// Takes all tokens from the retry budget of a session, and returns their number, at most 1000.
    fileprivate func takeTokens(of session: String) -> Int {
        state.withLock { state in
            var taken = 0
            while taken < 1000, state.admission.takeRetry(session: session, at: context.monotonic.now) == nil {
                taken += 1
            }
            return taken
        }
    }
}

extension TaskRecord {
    /// The `not_retried` member of the error; `nil` if there is none.
    fileprivate var reasonNotToRetry: String? {
        guard let error = result.error else { return nil }
        return (try? JSONDocument.parse(error))?.root.object?["not_retried"]?.string
    }
}
