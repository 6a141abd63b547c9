import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("A retrier of requests", .timeLimit(.hang))
struct RequestRetrierTests {
    /// A retrier that answers from a list, and then with `doNotRetry`.
    private final class ListedRetrier: RequestRetrier {
        let asked = EventLog<FailedAttempt>()
        private let answers: [RetryResult]

        init(_ answers: [RetryResult]) {
            self.answers = answers
        }

        func retry(after attempt: FailedAttempt) async -> RetryResult {
            asked.append(attempt)
            let index = asked.events.count - 1
            return answers.indices.contains(index) ? answers[index] : .doNotRetry
        }
    }

    @Test("has the request sent again, each time through the adapters, until it succeeds")
    func again() async throws {
        let retrier = ListedRetrier([.retry, .retryAfter(.zero)])
        let count = EventLog<Void>()
        let counting = RequestModifier { request in
            count.append()
            request.headers[.from] = "\(count.events.count)"
        }
        let hooked = try HookedSession(
            SessionHooks(adapters: [counting], retriers: [retrier]), statuses: [503, 500, 200])
        let sinks = EventLog<Void>()
        let task = try hooked.session.task(TaskRequest(path: "a")) {
            sinks.append()
            return MemorySink()
        }
        task.resume()
        #expect(await task.outcome.error == nil)
        #expect(hooked.transport.requests.map { $0.headers[.from] } == ["1", "2", "3"])
        #expect(sinks.events.count == 3)
        let asked = retrier.asked.events
        #expect(asked.map(\.number) == [1, 2])
        #expect(asked.map(\.response?.status) == [503, 500])
        #expect(asked.map(\.error.code) == [.unacceptableStatus, .unacceptableStatus])
        #expect(asked.map { $0.request.headers[.from] } == ["1", "2"])
        #expect(asked.map(\.ended.isOwnUpstream) == [true, true])
    }

    @Test("decides if the one before it does not, and its error replaces that of the attempt")
    func fails() async throws {
        let known = SessionError(.diskFull, "No room")
        let first = ListedRetrier([.doNotRetry])
        let second = ListedRetrier([.fail(known)])
        let third = ListedRetrier([.retry])
        var request = TaskRequest()
        request.hooks = SessionHooks(retriers: [second, third])
        let hooked = try HookedSession(SessionHooks(retriers: [first]), statuses: [404])
        let outcome = try await hooked.outcome(of: request)
        #expect(outcome.error == known)
        #expect(outcome.response?.status == 404)
        #expect([first, second, third].map(\.asked.events.count) == [1, 1, 0])
    }

    @Test("is not asked about a success, nor about a canceled request")
    func unasked() async throws {
        let retrier = ListedRetrier([.retry])
        let hooked = try HookedSession(
            SessionHooks(retriers: [retrier]), over: Example.transport([[.head(200)], [.wait(.init())]]))
        #expect(try await hooked.outcome().error == nil)
        let task = try hooked.session.task(TaskRequest())
        task.resume()
        _ = await hooked.transport.requests(2)
        task.cancel()
        #expect(await task.outcome.error == .canceled)
        #expect(retrier.asked.events.isEmpty)
    }

    @Test("makes pauses, in which the task can be canceled")
    func pauses() async throws {
        let hooks = SessionHooks(retriers: [ListedRetrier([.retryAfter(.seconds(5))])])
        let hooked = try HookedSession(hooks, statuses: [503, 200])
        let task = try hooked.session.task(TaskRequest())
        task.resume()
        #expect(await hooked.clock.sleeps.first(1) == [.seconds(5)])
        #expect(task.state == .running)
        hooked.clock.advance(by: .seconds(5))
        #expect(await task.outcome.error == nil)

        let other = try HookedSession(
            SessionHooks(retriers: [ListedRetrier([.retryAfter(.seconds(5))])]), statuses: [503])
        let canceled = try other.session.task(TaskRequest())
        canceled.resume()
        await other.clock.sleepers(1)
        canceled.cancel()
        #expect(await canceled.outcome.error == .canceled)
        #expect(other.transport.requests.count == 1)
        await other.session.invalidate(cancelingTasks: false)
    }

    @Test("makes pauses of any length, also one that the system's clock cannot add to its own time")
    func longestPause() async throws {
        let retrier = ListedRetrier([.retryAfter(.seconds(Int64.max))])
        let hooks = SessionHooks(retriers: [retrier])
        let hooked = try HookedSession(hooks, statuses: [503])
        let session = Session(hooked.session.configuration, transport: hooked.transport, hooks: hooks)
        let task = try session.task(TaskRequest())
        task.resume()
        _ = await retrier.asked.first(1)
        task.cancel()
        #expect(await task.outcome.error == .canceled)
        #expect(hooked.transport.requests.count == 1)
    }

    @Test("makes pauses after which a suspended task waits to be resumed")
    func suspended() async throws {
        let hooks = SessionHooks(retriers: [ListedRetrier([.retryAfter(.seconds(5))])])
        let hooked = try HookedSession(hooks, statuses: [503, 200]) { $0.suspendedKeep = nil }
        let task = try hooked.session.task(TaskRequest())
        task.resume()
        await hooked.clock.sleepers(1)
        task.suspend()
        hooked.clock.advance(by: .seconds(5))
        #expect(task.state == .suspended)
        task.resume()
        #expect(await task.outcome.error == nil)
        #expect(hooked.transport.requests.count == 2)
    }

    @Test("is not asked about an attempt that only restarts, which does not count")
    func restarts() async throws {
        let gate = ScriptedTransport.Gate()
        let retrier = ListedRetrier([])
        let lost = TransferError(.connectionLost, "cut", mayHaveArrived: true)
        let hooked = try HookedSession(
            SessionHooks(retriers: [retrier]),
            over: Example.transport([[.head(200), .wait(gate), .fail(lost)], [.head(503)]]))
        let task = try hooked.session.task(TaskRequest())
        let events = task.events
        task.resume()
        for await event in events {
            if case .responded = event { break }
        }
        task.suspend()
        task.resume()
        gate.open()
        #expect(await task.outcome.error?.code == .unacceptableStatus)
        #expect(hooked.transport.requests.count == 2)
        #expect(retrier.asked.events.map(\.number) == [1])
    }

    @Test("counts on after a suspension that has ended an attempt")
    func countsOn() async throws {
        let retrier = ListedRetrier([.retry])
        let hooked = try HookedSession(
            SessionHooks(retriers: [retrier]),
            over: Example.transport([[.head(503)], [.wait(.init())], [.head(503)]])
        ) { $0.suspendedKeep = .seconds(60) }
        let sink = RecordingSink()
        let task = try hooked.session.task(TaskRequest()) { sink }
        task.resume()
        _ = await hooked.transport.requests(2)
        task.suspend()
        _ = await hooked.clock.sleeps.first(1)
        hooked.clock.advance(by: .seconds(60))
        await sink.givenUp.wait()
        task.resume()
        #expect(await task.outcome.error?.code == .unacceptableStatus)
        #expect(hooked.transport.requests.count == 3)
        #expect(retrier.asked.events.map(\.number) == [1, 2])
        #expect(retrier.asked.events.map(\.ended.elapsed) == [.zero, .seconds(60)])
    }

    @Test("has content sent again only if it can be read again", arguments: [true, false])
    func content(canRewind: Bool) async throws {
        let hooked = try HookedSession(SessionHooks(retriers: [ListedRetrier([.retry])]), statuses: [503, 200])
        let source = ReplayedSource([1], canRewind: canRewind)
        let outcome = try await hooked.outcome(of: TaskRequest(method: "PUT", body: .source(source)))
        #expect(outcome.error?.code == (canRewind ? nil : .unacceptableStatus))
        #expect(hooked.transport.requests.count == (canRewind ? 2 : 1))
    }

    @Test("is asked about spent content too, but makes no pause: the request cannot be sent again")
    func spentContent() async throws {
        let request = TaskRequest(method: "PUT", body: .source(SpentSource()))
        let retrier = ListedRetrier([.retryAfter(.seconds(5))])
        let hooked = try HookedSession(SessionHooks(retriers: [retrier]), statuses: [503, 200])
        #expect(try await hooked.outcome(of: request).error?.code == .unacceptableStatus)
        #expect(retrier.asked.events.map(\.ended.hasSpentContent) == [true])
        #expect(hooked.clock.sleeps.events.isEmpty)
        #expect(hooked.transport.requests.count == 1)
        let known = SessionError(.diskFull, "No room")
        let failing = try HookedSession(SessionHooks(retriers: [ListedRetrier([.fail(known)])]), statuses: [503])
        #expect(try await failing.outcome(of: request).error == known)
    }

    @Test("with growing pauses decides by the rule")
    func backoff() async throws {
        var configuration = RetryConfiguration()
        configuration.maxAttempts = 3
        configuration.backoff = RetryConfiguration.Backoff(initial: .seconds(2), jitter: 0)
        let retrier = BackoffRetrier(RetryRule(configuration))
        let rows: [(number: Int, method: HTTPRequest.Method, status: Int, result: RetryResult)] = [
            (1, .get, 503, .retryAfter(.seconds(2))), (2, .get, 503, .retryAfter(.seconds(4))),
            (3, .get, 503, .doNotRetry), (1, .post, 503, .doNotRetry), (1, .get, 404, .doNotRetry),
        ]
        for row in rows {
            let error = SessionError(.unacceptableStatus, "No")
            let attempt = FailedAttempt(
                request: TransferRequest(url: try HTTPURL("http://e.com/")), response: nil, error: error,
                ended: EndedAttempt(number: row.number, method: row.method, error: error, status: row.status))
            #expect(await retrier.retry(after: attempt) == row.result)
        }
    }

    @Test("with growing pauses waits as long as the upstream asks for, up to a minute by default")
    func wish() async throws {
        let busy = ScriptedTransport.Step.head(503, [.retryAfter: "60"])
        let hooked = try HookedSession(
            SessionHooks(retriers: [.backoff()]), over: Example.transport([[busy], [.head(200)]]))
        let task = try hooked.session.task(TaskRequest())
        task.resume()
        #expect(await hooked.clock.sleeps.first(1) == [.seconds(60)])
        hooked.clock.advance(by: .seconds(60))
        #expect(await task.outcome.error == nil)
        #expect(hooked.transport.requests.count == 2)
    }

    @Test("with growing pauses leaves a response that asks for a longer one to the caller")
    func excessiveWish() async throws {
        let busy = ScriptedTransport.Step.head(503, [.retryAfter: "61"])
        let hooked = try HookedSession(
            SessionHooks(retriers: [.backoff()]), over: Example.transport([[busy], [.head(200)]]))
        let outcome = try await hooked.outcome()
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.response?.status == 503)
        #expect(outcome.response?.headers[.retryAfter] == "61")
        #expect(hooked.transport.requests.count == 1)
    }

    @Test("compares the wish of the upstream with the longest growing pause, unless it is ignored or limited")
    func wishes() async throws {
        var configuration = RetryConfiguration()
        configuration.backoff = RetryConfiguration.Backoff(initial: .seconds(1), max: .seconds(10), jitter: 0)
        let respecting = RetryRule(configuration)
        var (ignoring, limiting) = (respecting, respecting)
        ignoring.respectsRetryAfter = false
        limiting.longestWish = .seconds(5)
        let rows: [(rule: RetryRule, wish: String, result: RetryResult)] = [
            (respecting, "10", .retryAfter(.seconds(10))), (respecting, "11", .doNotRetry),
            (ignoring, "11", .retryAfter(.seconds(1))), (limiting, "11", .retryAfter(.seconds(5))),
            (RetryRule(listed: [.seconds(2)], jitter: 0), "11", .retryAfter(.seconds(2))),
        ]
        for row in rows {
            let error = SessionError(.unacceptableStatus, "No")
            let attempt = FailedAttempt(
                request: TransferRequest(url: try HTTPURL("http://e.com/")), response: nil, error: error,
                ended: EndedAttempt(
                    number: 1, method: .get, error: error, status: 503, headers: [.retryAfter: row.wish]))
            #expect(await BackoffRetrier(row.rule).retry(after: attempt) == row.result)
        }
    }
}
