import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A progress handler", .timeLimit(.hang))
struct ProgressHandlerTests {
    private let reports = EventLog<ProgressReport>()

    /// A request that records its progress.
    private var request: TaskRequest {
        var request = TaskRequest()
        request.progress = ProgressHandler { [reports] in reports.append($0) }
        return request
    }

    /// Retries at once, without end.
    private struct Persistent: RequestRetrier {
        func retry(after attempt: FailedAttempt) async -> RetryResult { .retry }
    }

    private func hooked(_ responses: [[ScriptedTransport.Step]]) throws -> HookedSession {
        try HookedSession(SessionHooks(retriers: [Persistent()]), over: Example.transport(responses))
    }

    @Test("is not called again before a tenth of a second has passed, except at the end")
    func interval() async throws {
        let gate = ScriptedTransport.Gate()
        let steps: [ScriptedTransport.Step] = [
            .head(200), .bytes([1, 2]), .bytes([3]), .wait(gate), .bytes([4, 5, 6]),
        ]
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport(steps))
        var request = TaskRequest()
        request.progress = ProgressHandler { [reports] report in
            reports.append(report)
            gate.open()
        }
        // The clock does not advance.
        #expect(try await hooked.outcome(of: request).error == nil)
        #expect(reports.events.map(\.download.completed) == [2, 6])
        #expect(reports.events.map(\.download.total) == [nil, 6])
    }

    @Test("is called again when a tenth of a second has passed, with the rate")
    func rate() async throws {
        let gates = [ScriptedTransport.Gate(), ScriptedTransport.Gate()]
        let steps: [ScriptedTransport.Step] = [
            .head(200), .bytes([1, 2]), .wait(gates[0]), .bytes([3]), .wait(gates[1]), .bytes([4, 5, 6]),
        ]
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport(steps))
        let clock = hooked.clock
        var request = TaskRequest()
        request.progress = ProgressHandler { [reports] report in
            reports.append(report)
            clock.advance(by: .milliseconds(100))
            for gate in gates.prefix(reports.events.count) { gate.open() }
        }
        #expect(try await hooked.outcome(of: request).error == nil)
        let events = reports.events
        #expect(events.prefix(2).map(\.download.completed) == [2, 3])
        #expect(events.prefix(2).map(\.download.bytesPerSecond) == [nil, 10])
        #expect(events.last?.download.completed == 6)
        #expect(events.last?.download.fraction == 1)
    }

    @Test("hears of the newest bytes when a tenth of a second has passed, also if no more come")
    func silence() async throws {
        let gate = ScriptedTransport.Gate()
        let steps: [ScriptedTransport.Step] = [.head(200), .bytes([1, 2]), .bytes([3]), .wait(gate), .bytes([4])]
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport(steps))
        let task = try hooked.session.task(request)
        task.resume()
        #expect(await reports.first(1).map(\.download.completed) == [2])
        await hooked.clock.sleepers(1)
        hooked.clock.advance(by: .milliseconds(100))
        #expect(await reports.first(2).map(\.download.completed) == [2, 3])
        gate.open()
        #expect(await task.outcome.error == nil)
        #expect(reports.events.last?.download.completed == 4)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("hears of the newest bytes also while the task is suspended")
    func suspension() async throws {
        let (began, gate) = (Signal<Void>(), ScriptedTransport.Gate())
        let steps: [ScriptedTransport.Step] = [.head(200), .bytes([1, 2]), .bytes([3]), .wait(gate), .bytes([4])]
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport(steps)) { $0.suspendedKeep = nil }
        var request = TaskRequest()
        request.progress = ProgressHandler { [reports] report in
            reports.append(report)
            began.send()
        }
        let task = try hooked.session.task(request)
        task.resume()
        await began.wait()
        await hooked.clock.sleepers(1)
        // A suspended script would not come to the third byte.
        try await until { task.progress.received == 3 }
        task.suspend()
        hooked.clock.advance(by: .milliseconds(100))
        #expect(await reports.first(2).map(\.download.completed) == [2, 3])
        #expect(task.state == .suspended)
        gate.open()
        task.resume()
        #expect(await task.outcome.error == nil)
        #expect(reports.events.last?.download.completed == 4)
    }

    @Test("hears of the last bytes of an attempt while the next one waits for its response")
    func betweenAttempts() async throws {
        let gate = ScriptedTransport.Gate()
        let lost = TransferError(.connectionLost, "lost")
        let hooked = try hooked([
            [.head(200), .bytes([1, 2]), .bytes([3]), .fail(lost)], [.wait(gate), .head(200), .bytes([1, 2, 3, 4])],
        ])
        let task = try hooked.session.task(request)
        task.resume()
        _ = await hooked.transport.requests(2)
        #expect(await reports.first(1).map(\.download.completed) == [2])
        await hooked.clock.sleepers(1)
        hooked.clock.advance(by: .milliseconds(100))
        #expect(await reports.first(2).map(\.download.completed) == [2, 3])
        gate.open()
        #expect(await task.outcome.error == nil)
        #expect(reports.events.last?.download.completed == 4)
    }

    @Test("is not called after the end, whose report cancels the timer")
    func nothingAfterEnd() async throws {
        let hooked = try HookedSession(
            SessionHooks(), over: ScriptedTransport([.head(200), .bytes([1, 2]), .bytes([3])]))
        #expect(try await hooked.outcome(of: request).error == nil)
        let count = reports.events.count
        _ = await hooked.clock.cancellations.first(1)
        #expect(hooked.clock.sleeperCount == 0)
        hooked.clock.advance(by: .seconds(1))
        #expect(reports.events.count == count)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("has heard of the end before the request returns, of a task and of one attempt")
    func end() async throws {
        let hooked = try HookedSession(
            SessionHooks(), over: ScriptedTransport([.head(200), .bytes([1]), .bytes([2, 3])]))
        #expect(try await hooked.outcome(of: request).error == nil)
        #expect(reports.events.last?.download.completed == 3)
        #expect(reports.events.last?.download.fraction == 1)
        let before = reports.events.count
        let prepared = try hooked.session.prepare(request)
        _ = await hooked.session.run(prepared, sink: MemorySink())
        #expect(reports.events.count > before)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("hears of numbers that do not decrease over retries")
    func retries() async throws {
        let lost = TransferError(.connectionLost, "lost")
        let hooked = try hooked([
            [.head(200), .bytes([1, 2, 3]), .fail(lost)], [.head(200), .bytes([1]), .fail(lost)],
            [.head(200), .bytes([1, 2]), .bytes([3, 4])],
        ])
        #expect(try await hooked.outcome(of: request).error == nil)
        let completed = reports.events.map(\.download.completed)
        #expect(completed == completed.sorted())
        #expect(completed.last == 4)
        #expect(reports.events.last?.download.fraction == 1)
    }

    /// Attempts that follow each other without a pause until one has received all of the content.
    private struct RestartingAttempts: TaskAttempts {
        let size: Int64

        func next(
            _ request: PreparedRequest
        ) async throws(SessionError) -> (request: PreparedRequest, sink: any BodySink) {
            (request, MemorySink())
        }

        func conclude(
            _ outcome: SessionOutcome, isCanceled: @escaping @Sendable () -> Bool
        ) async -> SessionOutcome {
            var outcome = outcome
            outcome.mayRestart = outcome.response?.body?.size != size
            return outcome
        }

        func didComplete(_ outcome: SessionOutcome) {}
    }

    @Test("is not called for each of many attempts that follow at once")
    func restarts() async throws {
        let bytes = [UInt8](repeating: 1, count: 20)
        let responses = (1...20).map { [ScriptedTransport.Step.head(200), .bytes(Array(bytes.prefix($0)))] }
        let hooked = try HookedSession(SessionHooks(), over: Example.transport(responses))
        let task = try hooked.session.task(request, attempts: RestartingAttempts(size: 20))
        task.resume()
        // The clock does not advance.
        #expect(await task.outcome.error == nil)
        #expect(hooked.transport.requests.count == 20)
        #expect(reports.events.count <= 2)
        #expect(reports.events.last?.download.completed == 20)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("does not hear of the content of redirects and of unacceptable responses")
    func uncounted() async throws {
        let hooked = try hooked([
            [.head(302, [.location: "/there"]), .bytes([1, 2, 3])], [.head(503), .bytes([1, 2, 3])],
            [.head(200), .bytes([1])],
        ])
        #expect(try await hooked.outcome(of: request).error == nil)
        #expect(reports.events.allSatisfy { $0.download.completed <= 1 })
        #expect(reports.events.last?.download.completed == 1)
    }

    @Test("does not hear of 100 % if the request fails")
    func failure() async throws {
        let steps: [ScriptedTransport.Step] = [
            .head(200), .bytes([1, 2, 3]), .fail(TransferError(.connectionLost, "lost")),
        ]
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport(steps))
        #expect(try await hooked.outcome(of: request).error != nil)
        #expect(reports.events.last?.download.completed == 3)
        #expect(reports.events.allSatisfy { $0.download.fraction == nil })
    }

    @Test("is equal to its copies only")
    func equality() {
        let handler = ProgressHandler { _ in }
        let copy = handler
        #expect(handler == copy)
        #expect(handler.hashValue == copy.hashValue)
        let other = ProgressHandler { _ in }
        #expect(handler != other)
    }
}
