import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A monitor of requests", .timeLimit(.hang))
struct RequestMonitorTests {
    private let seen = EventLog<MonitoredAttempt>()

    private var hooks: SessionHooks {
        SessionHooks(monitors: [.observing { [seen] in seen.append($0) }])
    }

    @Test("is told of each attempt of a task, before the task ends")
    func attempts() async throws {
        var hooks = hooks
        hooks.retriers = [BackoffRetrier(RetryRule(listed: [.zero], jitter: 0))]
        let hooked = try HookedSession(hooks, statuses: [503, 200])
        #expect(try await hooked.outcome().error == nil)
        #expect(seen.events.map(\.status) == [503, 200])
        #expect(seen.events.map(\.outcome.error?.code) == [.unacceptableStatus, nil])
        #expect(Set(seen.events.map(\.task)).count == 1)
        #expect(seen.events.map(\.session) == ["example", "example"])
    }

    @Test("sees the method and the URL of the request before redirects, and shows no query")
    func redirected() async throws {
        let transport = Example.transport([
            [.head(302, [.location: "http://e.com/b?secret=2"])], [.head(200)],
        ])
        let hooked = try HookedSession(hooks, over: transport)
        _ = try await hooked.outcome(of: TaskRequest(path: "a?secret=1"))
        let attempt = try #require(seen.events.first)
        #expect(seen.events.count == 1)
        #expect(attempt.method == .get)
        #expect(attempt.url.path == "/a")
        #expect(attempt.outcome.redirects.count == 1)
        #expect(attempt.description == "GET http://e.com/a: 200")
    }

    @Test("of a request is told after that of the session, and of a request to another origin too")
    func order() async throws {
        let order = EventLog<String>()
        let hooked = try HookedSession(
            SessionHooks(monitors: [.observing { _ in order.append("session") }]),
            configure: { $0.urlScope = .any })
        var request = TaskRequest(path: "http://other.example/")
        request.hooks = SessionHooks(monitors: [.observing { _ in order.append("request") }])
        _ = try await hooked.outcome(of: request)
        #expect(order.events == ["session", "request"])
    }

    @Test("is told of a request without a task, and of one that is canceled")
    func withoutTask() async throws {
        let hooked = try HookedSession(hooks)
        let prepared = try hooked.session.prepare(TaskRequest())
        _ = await hooked.session.run(prepared, sink: MemorySink())
        #expect(seen.events.map(\.status) == [200])
        let control = AttemptControl()
        control.cancel()
        _ = await hooked.session.run(prepared, sink: MemorySink(), control: control)
        #expect(seen.events.last?.outcome.error?.code == .canceled)
    }
}
