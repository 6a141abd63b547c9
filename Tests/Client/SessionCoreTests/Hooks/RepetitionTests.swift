import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("A request that a hook has changed", .timeLimit(.hang))
struct RepetitionTests {
    private typealias Change = @Sendable (inout TransferRequest) -> Void
    private typealias Row = (method: String, key: String?, change: Change, isRepeated: Bool)

    /// Requests with the changes of an adapter; each is repeated or not.
    private static let rows: [Row] = [
        ("GET", nil, { $0.headers[.from] = "ada" }, true),
        ("GET", nil, { $0.method = .put }, true),
        ("GET", nil, { $0.method = .post }, false),
        ("POST", nil, { $0.method = .get }, false),
        ("POST", nil, { $0.headers[.idempotencyKey] = "\"own\"" }, false),
        ("POST", "k", { $0.headers[.from] = "ada" }, true),
        ("POST", "k", { $0.headers[.idempotencyKey] = nil }, false),
        ("POST", "k", { $0.headers[.idempotencyKey] = "\"own\"" }, false),
        ("PUT", "k", { $0.headers[.idempotencyKey] = nil }, true),
    ]

    /// A request that its adapter does not let the transport resend.
    private static let forbidden: Row = ("GET", nil, { $0.mayResend = false }, false)

    private let lost = TransferError(.connectionLost, "cut", mayHaveArrived: true)

    /// A retrier that retries at once.
    private static func retrier() -> BackoffRetrier {
        var configuration = RetryConfiguration()
        configuration.maxAttempts = 3
        configuration.backoff = RetryConfiguration.Backoff(initial: .zero, jitter: 0)
        return BackoffRetrier(RetryRule(configuration))
    }

    @Test("restarts after a suspension only if it may be sent twice, before the change and after it")
    func restarts() async throws {
        for row in Self.rows + [Self.forbidden] {
            let change = row.change
            let gate = ScriptedTransport.Gate()
            let hooked = try HookedSession(
                SessionHooks(adapters: [.modifying { change(&$0) }]),
                over: Example.transport([[.head(200), .wait(gate), .fail(lost)], [.head(200)]])
            ) { $0.forwardsIdempotencyKey = true }
            let task = try hooked.session.task(TaskRequest(method: row.method, idempotencyKey: row.key))
            let events = task.events
            task.resume()
            for await event in events {
                if case .responded = event { break }
            }
            task.suspend()
            task.resume()
            gate.open()
            #expect(await task.outcome.error?.code == (row.isRepeated ? nil : .connectionLost))
            #expect(hooked.transport.requests.count == (row.isRepeated ? 2 : 1))
        }
    }

    @Test("is retried only if the rule allows it, before the change and after it")
    func retries() async throws {
        for row in Self.rows {
            let change = row.change
            let hooks = SessionHooks(adapters: [.modifying { change(&$0) }], retriers: [Self.retrier()])
            let hooked = try HookedSession(hooks, statuses: [503, 200]) { $0.forwardsIdempotencyKey = true }
            let outcome = try await hooked.outcome(of: TaskRequest(method: row.method, idempotencyKey: row.key))
            #expect(outcome.error?.code == (row.isRepeated ? nil : .unacceptableStatus))
            #expect(hooked.transport.requests.count == (row.isRepeated ? 2 : 1))
        }
    }

    @Test("is not sent twice if a handler of redirects made it a POST")
    func redirected() async throws {
        let posting = Redirector { request, _ in
            var request = request
            request.method = .post
            return request
        }
        let transport = ScriptedTransport { request in
            request.url.path == "/" ? [.head(302, [.location: "/next"])] : [.head(503)]
        }
        let hooked = try HookedSession(
            SessionHooks(retriers: [Self.retrier()], redirects: [posting]), over: transport)
        #expect(try await hooked.outcome().error?.code == .unacceptableStatus)
        #expect(transport.requests.map(\.method) == [.get, .post])
        #expect(transport.requests.map(\.mayResend) == [true, false])
    }
}
