import HTTPTypes
import Locking
import SessionCore
import Support
import TaskAdmission
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("Dispatcher: retries", .timeLimit(.minutes(1)))
struct DispatcherRetryTests {
    private let time = ManualClock()

    /// Answers one request after the other with these statuses; then with the last one.
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

    /// Lets the pause of a waiting task pass.
    private func pass(_ duration: Duration) async {
        while time.sleeperCount < 2 { await Task.yield() }
        time.advance(by: duration)
    }

    @Test("What has failed waits out its pause and is tried again, each attempt with its item")
    func retries() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503, 500, 200]))
        try await fixture.open {
            let task = try await fixture.create()
            let waiting = try #require(try await fixture.reaches(.waiting, task))
            #expect(waiting.nextAttemptAt == DispatcherFixture.start.adding(.milliseconds(500)))
            #expect(waiting.result.error == nil)
            await pass(.milliseconds(500))
            while try await fixture.stored(task)?.attemptCount != 2 { await Task.yield() }
            let again = try #require(try await fixture.reaches(.waiting, task))
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
        }
    }

    @Test("A POST that may have arrived is not sent again", arguments: [503, 429])
    func post(status: Int) async throws {
        let fixture = try DispatcherFixture(time: time, upstream([status]))
        try await fixture.open {
            let failed = try await fixture.finished(fixture.create(method: "POST"))
            #expect(failed?.state == .failed)
            #expect(fixture.paths.count == 1)
        }
    }

    @Test("A task says for itself how often it is tried")
    func overrides() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503]))
        try await fixture.open {
            let failed = try await fixture.finished(fixture.create("a", #","retry":{"max_attempts":1}"#))
            #expect(failed?.state == .failed)
            #expect(failed?.attemptCount == 1)
        }
    }

    @Test("A retry that would come after the deadline is not waited for")
    func deadline() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([503]))
        try await fixture.open {
            let deadline = fixture.now().adding(.milliseconds(400))
            let task = try await fixture.create("a", #","deadline":"\#(deadline)""#)
            let failed = try #require(try await fixture.finished(task))
            #expect(failed.state == .failed)
            #expect(failed.attemptCount == 1)
            #expect(String(decoding: failed.result.error ?? [], as: UTF8.self).contains(#""unacceptable_status""#))
        }
    }

    @Test("Retry-After of a 429 holds the whole session for as long as it says, and no longer")
    func retryAfter() async throws {
        let fixture = try DispatcherFixture(time: time, upstream([429, 200], headers: ["Retry-After": "2"]))
        try await fixture.open {
            let task = try await fixture.create("first")
            _ = try await fixture.reaches(.waiting, task)
            let other = try await fixture.create("second")
            #expect(other.state == .queued)
            #expect(fixture.dispatcher.liveState(of: other).hold == .retryAfter)
            let conditions = try #require(fixture.dispatcher.conditions(of: "up"))
            #expect(conditions.hold == .retryAfter)
            #expect(conditions.quietUntil == DispatcherFixture.start.adding(.seconds(2)))
            while time.sleeperCount < 3 { await Task.yield() }
            time.advance(by: .milliseconds(1999))
            #expect(try await fixture.stored(other)?.state == .queued)
            while time.sleeperCount < 3 { await Task.yield() }
            time.advance(by: .milliseconds(1))
            try await fixture.expect(.succeeded, of: other)
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.dispatcher.conditions(of: "up")?.hold == nil)
        }
    }

    @Test("A circuit that is open holds the session, then lets one attempt through; its success closes it")
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
            #expect(fixture.dispatcher.liveState(of: task).hold == .circuitOpen)
            await pass(.seconds(30))
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.dispatcher.conditions(of: "up")?.circuit == .closed)
        }
    }

    @Test("Attempts start as fast as the rate lets them, and the rest says what it waits for")
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
            #expect(fixture.dispatcher.liveState(of: tasks[2]).hold == .rate)
            await pass(.milliseconds(100))
            try await fixture.expect(.succeeded, of: tasks[2])
            #expect(try await fixture.stored(tasks[3])?.state == .queued)
            await pass(.milliseconds(100))
            try await fixture.expect(.succeeded, of: tasks[3])
        }
    }
}
