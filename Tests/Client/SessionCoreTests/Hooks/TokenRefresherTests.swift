import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// A handler of challenges that always fails.
private struct LockedAccount: ChallengeHandler {
    func answer(_ challenged: ChallengedRequest) throws -> TransferRequest? { throw OwnError(text: "locked") }
}

@Suite("A refresher of tokens", .timeLimit(.hang))
struct TokenRefresherTests {
    private let clock = ManualClock()

    /// Returns a refresher of the tokens `t1`, `t2` and so on, and the log of its refreshes.
    private func numbered(
        _ first: RefreshedToken? = nil, lifetime: Duration? = nil, maxRefreshes: Int = 5
    ) -> (TokenRefresher, EventLog<Void>) {
        let refreshes = EventLog<Void>()
        let refresher = TokenRefresher(first, maxRefreshes: maxRefreshes, clock: clock) {
            refreshes.append()
            return RefreshedToken("t\(refreshes.events.count)", lifetime: lifetime)
        }
        return (refresher, refreshes)
    }

    /// Returns a transport that accepts some tokens.
    private static func transport(accepting tokens: Set<String>) -> ScriptedTransport {
        ScriptedTransport { request in
            [.head(tokens.contains(request.headers[.authorization] ?? "") ? 200 : 401)]
        }
    }

    @Test("fetches a token for the first request, and keeps it")
    func first() async throws {
        let (tokens, refreshes) = numbered()
        let hooked = try HookedSession(
            SessionHooks(interceptor: tokens), over: Self.transport(accepting: ["Bearer t1"]))
        for _ in 0..<3 { #expect(try await hooked.outcome().error == nil) }
        #expect(refreshes.events.count == 1)
        #expect(hooked.transport.requests.count == 3)
    }

    @Test("refreshes a refused token once for all requests, and sends these again")
    func shared() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let transport = Self.transport(accepting: ["Bearer t1"])
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
        let tasks = try (0..<16).map { try hooked.session.task(TaskRequest(path: "\($0)")) }
        for task in tasks { task.resume() }
        for task in tasks { #expect(await task.outcome.error == nil) }
        #expect(refreshes.events.count == 1)
        #expect(transport.requests.count { $0.headers[.authorization] == "Bearer t1" } == 16)
    }

    @Test(
        "sends no request again that was processed before a redirect to another method",
        arguments: [
            (303, HTTPRequest.Method.post, false, 1), (303, .post, true, 2), (303, .put, false, 2),
            (307, .post, false, 2),
        ])
    func processed(redirect: Int, method: HTTPRequest.Method, hasKey: Bool, count: Int) async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let transport = ScriptedTransport { request in
            if request.url.path == "/orders" {
                return [.head(ResponseHead(status: redirect, headers: [.location: "/orders/7"]))]
            }
            return [.head(request.headers[.authorization] == "Bearer t1" ? 200 : 401)]
        }
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
        var request = TaskRequest(method: method.rawValue, path: "/orders")
        if hasKey { request.headers = [TaskHeader("Idempotency-Key", "k")] }
        let outcome = try await hooked.outcome(of: request)
        #expect(outcome.response?.status == (count == 1 ? 401 : 200))
        #expect(transport.requests.count { $0.url.path == "/orders" } == count)
        #expect(refreshes.events.count == count - 1)
    }

    @Test("discards a token that was refused with spent content, but does not wait for another one")
    func spentContent() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let hooked = try HookedSession(
            SessionHooks(interceptor: tokens), over: Self.transport(accepting: ["Bearer t1"]))
        let outcome = try await hooked.outcome(of: TaskRequest(method: "PUT", body: .source(SpentSource())))
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.response?.status == 401)
        #expect(refreshes.events.isEmpty)
        #expect(try await hooked.outcome().error == nil)
        #expect(refreshes.events.count == 1)
        #expect(hooked.transport.requests.map { $0.headers[.authorization] } == ["Bearer t0", "Bearer t1"])
    }

    @Test("keeps its token if a handler of challenges has failed, which is then the error")
    func failedHandler() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let transport = ScriptedTransport { _ in [.head(401, [.wwwAuthenticate: #"Basic realm="r""#])] }
        let hooked = try HookedSession(
            SessionHooks(adapters: [tokens], retriers: [tokens], challenges: [LockedAccount()]), over: transport)
        let outcome = try await hooked.outcome()
        #expect(outcome.error?.code == .hookFailed)
        #expect(outcome.error?.cause as? OwnError == OwnError(text: "locked"))
        #expect(refreshes.events.isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test("sends a request with an outdated token just again")
    func outdated() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let gate = ScriptedTransport.Gate()
        let transport = ScriptedTransport { request in
            guard request.headers[.authorization] == "Bearer t0" else { return [.head(200)] }
            return request.url.path == "/slow" ? [.wait(gate), .head(401)] : [.head(401)]
        }
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
        let slow = try hooked.session.task(TaskRequest(path: "slow"))
        slow.resume()
        _ = await transport.requests(1)
        #expect(try await hooked.outcome().error == nil)
        #expect(refreshes.events.count == 1)
        gate.open()
        #expect(await slow.outcome.error == nil)
        #expect(refreshes.events.count == 1)
    }

    @Test("renews a token before it expires, and waits for the next one after that")
    func expiry() async throws {
        let (tokens, refreshes) = numbered(
            RefreshedToken("t0", lifetime: .seconds(100)), lifetime: .seconds(1000))
        let hooked = try HookedSession(
            SessionHooks(interceptor: tokens), over: Self.transport(accepting: ["Bearer t0", "Bearer t1"]))
        #expect(try await hooked.outcome().error == nil)
        #expect(refreshes.events.isEmpty)
        clock.advance(by: .seconds(95))
        #expect(try await hooked.outcome().error == nil)
        _ = await refreshes.first(1)
        clock.advance(by: .seconds(10))
        #expect(try await hooked.outcome().error == nil)
        let sent = hooked.transport.requests.map { $0.headers[.authorization] }
        #expect(sent == ["Bearer t0", "Bearer t0", "Bearer t1"])
        #expect(refreshes.events.count == 1)
    }

    @Test("gives up after too many refreshes within the window")
    func excessive() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"), maxRefreshes: 2)
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: Self.transport(accepting: []))
        let outcome = try await hooked.outcome()
        #expect(outcome.error?.code == .authenticationFailed)
        #expect(outcome.response?.status == 401)
        #expect(refreshes.events.count == 2)
        let sent = hooked.transport.requests.map { $0.headers[.authorization] }
        #expect(sent == ["Bearer t0", "Bearer t1", "Bearer t2"])
        // The window has passed.
        clock.advance(by: .seconds(31))
        #expect(try await hooked.outcome().error?.code == .authenticationFailed)
        #expect(refreshes.events.count == 4)
    }

    @Test("refreshes tokens without a limit")
    func unlimited() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"), maxRefreshes: .max)
        let hooked = try HookedSession(
            SessionHooks(interceptor: tokens), over: Self.transport(accepting: ["Bearer t8"]))
        #expect(try await hooked.outcome().error == nil)
        #expect(refreshes.events.count == 8)
    }

    private static let shapes: [(token: String, scheme: String, sent: String)] = [
        ("t0\n", "Bearer", "Bearer t0"), (" \tt0 \r\n", "Bearer", "Bearer t0"), ("t\n0", "Bearer", "Bearer t 0"),
        ("t0", " Token\n", "Token t0"), ("t0\n", "", "t0"), ("", "Bearer", "Bearer"),
    ]

    @Test("recognizes a refused token whatever white space surrounds it, and without a scheme")
    func whiteSpace() async throws {
        for (token, scheme, sent) in Self.shapes {
            let refreshes = EventLog<Void>()
            let tokens = TokenRefresher(RefreshedToken(token), scheme: scheme, clock: clock) {
                refreshes.append()
                return RefreshedToken(refreshes.events.count > 1 ? "good\n" : token)
            }
            let transport = ScriptedTransport { request in
                [.head(request.headers[.authorization]?.hasSuffix("good") == true ? 200 : 401)]
            }
            let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
            #expect(try await hooked.outcome().error == nil)
            #expect(refreshes.events.count == 2)
            #expect(transport.requests.prefix(2).map { $0.headers[.authorization] } == [sent, sent])
            #expect(transport.requests.count == 3)
        }
    }

    @Test("tells why a token could not be refreshed")
    func failure() async throws {
        let tokens = TokenRefresher(RefreshedToken("t0"), clock: clock) { throw OwnError(text: "secret") }
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: Self.transport(accepting: []))
        let error = try #require(try await hooked.outcome().error)
        #expect(error.code == .authenticationFailed)
        #expect(error.cause as? OwnError == OwnError(text: "secret"))
        #expect(!"\(error)".contains("secret"))
    }

    @Test("refreshes again after failures, which do not count, and fails with the last of them in the pauses between")
    func pauses() async throws {
        let refreshes = EventLog<Void>()
        let tokens = TokenRefresher(clock: clock) {
            refreshes.append()
            let number = refreshes.events.count
            guard number > 5 else { throw SessionError(.cannotConnect, "failure \(number)") }
            return RefreshedToken("t\(number)")
        }
        let hooked = try HookedSession(
            SessionHooks(interceptor: tokens), over: Self.transport(accepting: ["Bearer t6"]))
        for (number, pause) in zip(1..., [100, 200, 400, 800, 1600]) {
            let failure = SessionError(.cannotConnect, "failure \(number)")
            #expect(try await hooked.outcome().error == failure)
            clock.advance(by: .milliseconds(pause - 1))
            #expect(try await hooked.outcome().error == failure)
            #expect(refreshes.events.count == number)
            clock.advance(by: .milliseconds(1))
        }
        #expect(try await hooked.outcome().error == nil)
        #expect(hooked.transport.requests.count == 1)
    }

    @Test("keeps a token that one path refuses in the pause after a failed refresh, for the paths that accept it")
    func refusedInPause() async throws {
        let failure = SessionError(.cannotConnect, "The login has failed")
        let tokens = TokenRefresher(RefreshedToken("t0", lifetime: .seconds(100)), clock: clock) { throw failure }
        let transport = ScriptedTransport { request in [.head(request.url.path == "/a" ? 401 : 200)] }
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
        clock.advance(by: .seconds(95))
        #expect(try await hooked.outcome(of: TaskRequest(path: "b")).error == nil)
        try await until { !tokens.isRefreshing }
        let refused = try await hooked.outcome(of: TaskRequest(path: "a"))
        #expect(refused.error == failure)
        #expect(refused.response?.status == 401)
        #expect(try await hooked.outcome(of: TaskRequest(path: "b")).error == nil)
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t0", "Bearer t0", "Bearer t0"])
    }

    /// Returns a session whose tokens are fetched by the session itself, from `/login`.
    private func selfServed(over transport: ScriptedTransport) throws -> HookedSession {
        let session = Signal<Session>()
        let tokens = TokenRefresher(clock: clock) {
            let task = try await session.wait().task(TaskRequest(path: "login"))
            task.resume()
            return RefreshedToken(try await task.response.text ?? "")
        }
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
        session.send(hooked.session)
        return hooked
    }

    @Test("lets its closure use the same session, whose requests then have no token")
    func ownSession() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.path != "/login" else { return [.head(200), .text("t1")] }
            return [.head(request.headers[.authorization] == "Bearer t1" ? 200 : 401)]
        }
        let hooked = try selfServed(over: transport)
        #expect(try await hooked.outcome().error == nil)
        #expect(transport.requests.map(\.url.path) == ["/login", "/"])
        #expect(transport.requests.map { $0.headers[.authorization] } == [nil, "Bearer t1"])
    }

    @Test("does not wait for itself when a request of its closure is refused")
    func refusedLogin() async throws {
        let transport = Self.transport(accepting: [])
        let outcome = try await selfServed(over: transport).outcome()
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(transport.requests.map(\.url.path) == ["/login"])
    }

    @Test("sends no token to another origin, and does not repeat requests to it")
    func otherOrigin() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let hooked = try HookedSession(
            SessionHooks(interceptor: tokens), over: Self.transport(accepting: [])
        ) { $0.urlScope = .any }
        let request = TaskRequest(path: "http://other.example/", headers: [TaskHeader("Authorization", "Bearer own")])
        #expect(try await hooked.outcome(of: request).error?.code == .unacceptableStatus)
        #expect(hooked.transport.requests.map { $0.headers[.authorization] } == ["Bearer own"])
        #expect(refreshes.events.isEmpty)
    }

    @Test("sends no token in a session without a base URL, unless the request has the hook")
    func noBase() async throws {
        let (tokens, refreshes) = numbered(RefreshedToken("t0"))
        let hooks = SessionHooks(interceptor: tokens)
        let hooked = try HookedSession(hooks, over: Self.transport(accepting: ["Bearer t1"])) { $0.baseURL = nil }
        var request = TaskRequest(path: "http://other.example/")
        #expect(try await hooked.outcome(of: request).error?.code == .unacceptableStatus)
        #expect(refreshes.events.isEmpty)
        request.hooks = hooks
        #expect(try await hooked.outcome(of: request).error == nil)
        #expect(hooked.transport.requests.map { $0.headers[.authorization] } == [nil, "Bearer t0", "Bearer t1"])
        #expect(refreshes.events.count == 1)
    }
}
