import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: suspending and resuming", .timeLimit(.hang))
struct DispatcherSuspensionTests {
    typealias Gate = ScriptedTransport.Gate

    /// The progress of a transfer that has sent some content.
    private static var sent: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.bytesSent = 10
        return metrics
    }

    @Test("A task that is created suspended waits until it is resumed, even if slots are free")
    func createdSuspended() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create("a", suspended: true)
            #expect(task.state == .suspended)
            let other = try await fixture.create("b")
            try await fixture.expect(.succeeded, of: other)
            #expect(fixture.paths == ["/b"])
            try await fixture.resume(task)
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.paths == ["/b", "/a"])
        }
    }

    @Test("A suspended queued task is skipped, and is started once after it is resumed")
    func queued() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            let first = try await fixture.create("first")
            let second = try await fixture.create("second")
            let third = try await fixture.create("third")
            for _ in 0..<3 {
                try await fixture.suspend(second)
                try await fixture.resume(second)
            }
            try await fixture.suspend(second)
            gate.open()
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: third)
            #expect(try await fixture.stored(second)?.state == .suspended)
            try await fixture.resume(second)
            try await fixture.expect(.succeeded, of: second)
            #expect(fixture.paths == ["/first", "/third", "/second"])
        }
        #expect(fixture.dispatcher.running(session: "up") == 0)
    }

    @Test("A suspended running task keeps its slot and its connection, and continues where it stopped")
    func running() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            let first = try await fixture.create("first")
            let suspended = try #require(try await fixture.suspend(first))
            #expect(suspended.state == .suspended)
            #expect(suspended.hasOpenAttempt)
            #expect(try await fixture.stored(first) == suspended)
            gate.open()
            let second = try await fixture.create("second")
            #expect(second.state == .queued, "the slot is taken")
            #expect(fixture.dispatcher.liveState(of: second).waitReason == .concurrency)
            #expect(try await fixture.stored(first)?.state == .suspended)
            let resumed = try #require(try await fixture.resume(first))
            #expect(resumed.attemptCount == 1)
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: second)
            #expect(fixture.paths == ["/first", "/second"])
            #expect(try await fixture.stored(first)?.attemptCount == 1)
        }
    }

    @Test("Requesting the current state changes nothing")
    func sameState() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            #expect(try await fixture.resume(task) == task)
            let suspended = try await fixture.suspend(task)
            #expect(suspended?.revision == 2)
            #expect(try await fixture.suspend(task) == suspended)
            _ = try await fixture.dispatcher.cancel(task.id)
        }
    }

    @Test("A finished or unknown task can be neither suspended nor resumed")
    func tooLate() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create()
            try await fixture.expect(.succeeded, of: task)
            for answer in [
                try await fixture.dispatcher.suspend(task.id), try await fixture.dispatcher.resume(task.id),
            ] {
                guard case .refused(let record) = answer else {
                    Issue.record("not refused")
                    continue
                }
                #expect(record.state == .succeeded)
            }
            guard case .notFound = try await fixture.dispatcher.suspend(TaskID.sample(1)) else {
                Issue.record("there is no such task")
                return
            }
        }
    }

    @Test("A suspend that cannot be stored is an error, and the transfer continues")
    func unstored() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            await #expect(throws: TaskStoreError.self) { try await fixture.dispatcher.suspend(task.id) }
            fixture.store.intervene(nil)
            gate.open()
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("Suspended for too long, a task loses its connection and its slot; resumed, it is tried again")
    func keptTooLong() async throws {
        let clock = ManualClock()
        let requests = Mutex(0)
        let fixture = try DispatcherFixture(concurrent: 1, clock: clock) { _ in
            let isFirst = requests.withLock { requests in
                requests += 1
                return requests == 1
            }
            return isFirst ? [.measure(Self.sent), .wait(Gate())] : DispatcherFixture.response
        }
        try await fixture.open {
            let task = try await fixture.create("task")
            try await fixture.suspend(task)
            #expect(await clock.sleeps.first(1) == [.seconds(60)])
            let other = try await fixture.create("other")
            #expect(other.state == .queued)
            clock.advance(by: .seconds(60))
            try await fixture.expect(.succeeded, of: other)
            let lost = try #require(try await lost(task, fixture))
            #expect(lost.state == .suspended)
            #expect(lost.result.error == nil)
            #expect(String(decoding: lost.result.attempts, as: UTF8.self).contains(#""code":"connection_lost""#))
            let resumed = try #require(try await fixture.resume(task))
            #expect(resumed.state == .queued)
            let finished = try #require(try await fixture.finished(resumed))
            #expect(finished.state == .succeeded)
            #expect(finished.attemptCount == 2)
            #expect(String(decoding: finished.result.attempts, as: UTF8.self).contains(#""number":2"#))
            #expect(fixture.paths == ["/task", "/other", "/task"])
        }
    }

    /// Waits until the attempt of a suspended task is lost.
    private func lost(_ task: TaskRecord, _ fixture: DispatcherFixture) async throws -> TaskRecord? {
        var current = try await fixture.stored(task)
        while let known = current, known.hasOpenAttempt {
            current = try await fixture.context.wait(
                for: known, until: .changed(from: known.revision), timeout: .unlimited)
        }
        return current
    }

    @Test("A request that may have arrived and must not be repeated fails when its connection is lost")
    func notRepeatable() async throws {
        let clock = ManualClock()
        let fixture = try DispatcherFixture(clock: clock) { _ in
            [.measure(Self.sent), .head(ResponseHead(status: 200)), .wait(Gate())]
        }
        try await fixture.open {
            let events = try #require(fixture.sessions["up"]).events
            let task = try await fixture.create(method: "POST")
            for await case .task(_, .responded) in events { break }
            try await fixture.suspend(task)
            _ = await clock.sleeps.first(1)
            clock.advance(by: .seconds(60))
            let finished = try #require(try await fixture.finished(task))
            #expect(finished.state == .failed)
            let error = String(decoding: finished.result.error ?? [], as: UTF8.self)
            #expect(error.contains(#""code":"connection_lost""#))
            #expect(error.contains(#""may_have_arrived":true"#))
        }
    }

    @Test("Connections that the gateway closes because their tasks were suspended do not open the circuit")
    func circuit() async throws {
        let clock = ManualClock()
        var configuration = try DispatcherFixture.configuration()
        configuration.circuitBreaker = CircuitBreakerConfiguration(failures: 1)
        let fixture = try DispatcherFixture(clock: clock, configuration: configuration) { request in
            let lost: [ScriptedTransport.Step] = [
                .measure(Self.sent), .head(ResponseHead(status: 200)), .wait(Gate()),
            ]
            return request.url.path == "/lost" ? lost : DispatcherFixture.response
        }
        try await fixture.open {
            let events = try #require(fixture.sessions["up"]).events
            let task = try await fixture.create("lost", method: "POST")
            for await case .task(_, .responded) in events { break }
            try await fixture.suspend(task)
            _ = await clock.sleeps.first(1)
            clock.advance(by: .seconds(60))
            #expect(try await fixture.finished(task)?.state == .failed)
            let next = try await fixture.create("next")
            #expect(next.state == .running)
            #expect(try await fixture.finished(next)?.state == .succeeded)
        }
    }

    @Test("A suspended task is canceled at once")
    func cancel() async throws {
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            try await fixture.suspend(task)
            guard case .done(let record, _) = try await fixture.dispatcher.cancel(task.id) else {
                Issue.record("not canceled")
                return
            }
            #expect(record.state == .canceled)
            let next = try await fixture.create()
            #expect(next.state == .running, "the slot is free")
            try await fixture.suspend(next)
            #expect(try await fixture.dispatcher.delete(next.id))
        }
    }

    @Test("Closing does not wait for suspended attempts; the next start finds their tasks suspended or failed")
    func closing() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.dispatcher.open()
        let safe = try await fixture.create("safe")
        let unsafe = try await fixture.create("unsafe", method: "POST")
        try await fixture.suspend(safe)
        try await fixture.suspend(unsafe)
        await fixture.dispatcher.close(patience: .seconds(3600))
        #expect(try await fixture.stored(safe)?.hasOpenAttempt == true)
        await fixture.store.close()

        let next = try DispatcherFixture(folder: fixture.folder)
        try await next.open {
            let stored = try #require(try await next.stored(safe))
            #expect(stored.state == .suspended)
            #expect(!stored.hasOpenAttempt)
            #expect(try await next.stored(unsafe)?.state == .failed)
            #expect(next.paths.isEmpty)
            try await next.resume(safe)
            try await next.expect(.succeeded, of: safe)
        }
    }
}
