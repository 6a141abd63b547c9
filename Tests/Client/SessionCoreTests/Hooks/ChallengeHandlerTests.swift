import ErrandAuthentication
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A handler of authentication challenges", .timeLimit(.hang))
struct ChallengeHandlerTests {
    /// Challenges each request whose `Authorization` is not accepted.
    private static func transport(
        _ challenge: String = #"Basic realm="r""#, accepting isAccepted: @escaping @Sendable (String?) -> Bool
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            isAccepted(request.headers[.authorization])
                ? [.head(200), .text("in")] : [.head(401, [.wwwAuthenticate: challenge]), .text("out")]
        }
    }

    private static let accepted = "Basic YWRhOnMzY3JldA=="
    private static let ada = ChallengeResponder.basic(username: "ada", password: "s3cret")

    /// The requests for which a handler was asked.
    private final class Asked: ChallengeHandler {
        let requests = EventLog<ChallengedRequest>()
        private let reply: @Sendable (ChallengedRequest) throws -> TransferRequest?

        init(_ reply: @escaping @Sendable (ChallengedRequest) throws -> TransferRequest? = { _ in nil }) {
            self.reply = reply
        }

        func answer(_ challenged: ChallengedRequest) throws -> TransferRequest? {
            requests.append(challenged)
            return try reply(challenged)
        }
    }

    @Test("answers a challenge, and the response to the answer is that of the request")
    func answers() async throws {
        let hooked = try HookedSession(
            SessionHooks(challenges: [Self.ada]), over: Self.transport { $0 == Self.accepted })
        let events = EventLog<String>()
        let task = try hooked.session.task(TaskRequest(method: "POST", body: .text("x")))
        let listening = Task { for await event in task.events { events.append("\(event)") } }
        task.resume()
        let outcome = await task.outcome
        await listening.value
        #expect(outcome.error == nil)
        #expect(outcome.response?.text == "in")
        #expect(outcome.hops == [.challenge(FollowedChallenge(url: "http://e.com/", schemes: ["basic"]))])
        #expect(hooked.transport.requests.map { $0.headers[.authorization] } == [nil, Self.accepted])
        #expect(events.events.contains("challenged by http://e.com/"))
        #expect(!events.events.contains { $0.contains("s3cret") || $0.contains(Self.accepted) })
    }

    @Test("gets the challenges, the response and the number of earlier answers, and gives at most three")
    func isBounded() async throws {
        let handler = Asked { challenged in
            var request = challenged.request
            request.headers[.authorization] = "Own \(challenged.previousAnswers)"
            return request
        }
        let transport = Self.transport(#"Own realm="a b", Basic realm="c""#) { _ in false }
        let hooked = try HookedSession(SessionHooks(challenges: [handler]), over: transport)
        let outcome = try await hooked.outcome()
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.response?.status == 401)
        #expect(outcome.response?.text == "out")
        #expect(transport.requests.map { $0.headers[.authorization] } == [nil, "Own 0", "Own 1", "Own 2"])
        let asked = handler.requests.events
        #expect(asked.map(\.previousAnswers) == [0, 1, 2])
        #expect(asked.map(\.request.headers[.authorization]) == [nil, "Own 0", "Own 1"])
        #expect(asked[0].challenges.map(\.scheme) == ["own", "basic"])
        #expect(asked[0].challenges[0][parameter: "realm"] == "a b")
        #expect(asked[0].response.status == 401)
        #expect("\(asked[1])" == "GET, challenged by own, basic")
    }

    @Test("that gives no answer leaves it to the next one, and the 401 is the response if none gives one")
    func noAnswer() async throws {
        let (first, last) = (Asked(), Asked())
        let hooks = SessionHooks(challenges: [first, Self.ada, last])
        let hooked = try HookedSession(hooks, over: Self.transport { $0 == Self.accepted })
        #expect(try await hooked.outcome().error == nil)
        #expect(first.requests.events.count == 1 && last.requests.events.isEmpty)

        let others = try HookedSession(
            hooks, over: Self.transport("Negotiate") { _ in false })
        let outcome = try await others.outcome()
        #expect(outcome.codes == [.unacceptableStatus])
        #expect(outcome.response?.text == "out")
        #expect(others.transport.requests.count == 1)
        #expect(last.requests.events.count == 1)
    }

    @Test("answers with a password only once: a server that does not accept it gets no other attempt")
    func refusedPassword() async throws {
        let hooked = try HookedSession(SessionHooks(challenges: [Self.ada]), over: Self.transport { _ in false })
        #expect(try await hooked.outcome().response?.status == 401)
        #expect(hooked.transport.requests.map { $0.headers[.authorization] } == [nil, Self.accepted])
    }

    @Test("is asked after the credentials of the session have given up, and replaces them")
    func afterCredentials() async throws {
        let handler = Asked { challenged in
            var request = challenged.request
            request.headers[.authorization] = "Bearer other"
            return request
        }
        let transport = Self.transport("Bearer") { $0 == "Bearer other" }
        let hooked = try HookedSession(SessionHooks(challenges: [handler]), over: transport) {
            $0.credentials = .bearer(token: "hush")
        }
        #expect(try await hooked.outcome().error == nil)
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer hush", "Bearer other"])
        #expect(handler.requests.events.map(\.request.headers[.authorization]) == [nil])
    }

    @Test("ends the attempt with its error")
    func fails() async throws {
        let handlers: [Asked] = [
            Asked { _ in throw OwnError(text: "locked") },
            Asked { _ in throw SessionError(.authenticationFailed, "The account is locked") },
        ]
        let outcomes = try await [
            HookedSession(SessionHooks(challenges: [handlers[0]]), over: Self.transport { _ in false }).outcome(),
            HookedSession(SessionHooks(challenges: [handlers[1]]), over: Self.transport { _ in false }).outcome(),
        ]
        #expect(outcomes.map { $0.error?.code } == [.hookFailed, .authenticationFailed])
        #expect(outcomes.map { $0.response?.status } == [401, 401])
        #expect(outcomes[0].error?.cause as? OwnError == OwnError(text: "locked"))
    }

    @Test("is not asked about another origin, so that no answer reaches it")
    func otherOrigin() async throws {
        let transport = ScriptedTransport { request in
            request.url.host == "e.com"
                ? [.head(302, [.location: "http://trap.example/"])]
                : [.head(401, [.wwwAuthenticate: #"Basic realm="r""#])]
        }
        let hooked = try HookedSession(SessionHooks(challenges: [Self.ada]), over: transport)
        var request = TaskRequest()
        request.hooks = SessionHooks(challenges: [Self.ada])
        #expect(try await hooked.outcome(of: request).response?.status == 401)
        #expect(transport.requests.map { $0.headers[.authorization] } == [nil, nil])
    }

    @Test("is not asked about the origin of the request after a redirect by another one")
    func leadBack() async throws {
        let transport = ScriptedTransport { request in
            switch (request.url.host, request.url.path) {
            case ("e.com", "/"): [.head(302, [.location: "http://trap.example/"])]
            case ("e.com", _): [.head(401, [.wwwAuthenticate: #"Basic realm="r""#])]
            default: [.head(302, [.location: "http://e.com/delete"])]
            }
        }
        let hooked = try HookedSession(SessionHooks(challenges: [Self.ada]), over: transport)
        #expect(try await hooked.outcome().response?.status == 401)
        #expect(transport.requests.map { $0.headers[.authorization] } == [nil, nil, nil])
    }

    @Test("answers for each target of redirects within the origin, with the request's own field before")
    func redirectWithin() async throws {
        let transport = ScriptedTransport { request in
            guard request.headers[.authorization]?.hasPrefix("Digest ") == true else {
                return [.head(401, [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#])]
            }
            return request.url.path == "/" ? [.head(302, [.location: "/b"])] : [.head(200), .text("in")]
        }
        let hooked = try HookedSession(
            SessionHooks(challenges: [.digest(username: "ada", password: "s3cret")]), over: transport)
        let request = TaskRequest(headers: [TaskHeader("Authorization", "Own x")])
        #expect(try await hooked.outcome(of: request).error == nil)
        let sent = transport.requests.map { $0.headers[.authorization] ?? "" }
        #expect(sent.count == 4)
        #expect(sent[0] == "Own x" && sent[2] == "Own x")
        #expect(sent[1].contains(#"uri="/""#) && sent[3].contains(#"uri="/b""#))
    }

    @Test("of the session is not asked about a request to another server, but that of the request is")
    func foreignRequest() async throws {
        let hooked = try HookedSession(
            SessionHooks(challenges: [Self.ada]), over: Self.transport { $0 == Self.accepted }
        ) {
            $0.urlScope = .any
        }
        var request = TaskRequest(path: "http://other.example/")
        #expect(try await hooked.outcome(of: request).response?.status == 401)
        request.hooks = SessionHooks(challenges: [Self.ada])
        #expect(try await hooked.outcome(of: request).error == nil)
    }

    @Test("is not asked about a 401 that the request accepts, nor about one without a challenge")
    func notAsked() async throws {
        let handler = Asked()
        let hooked = try HookedSession(
            SessionHooks(challenges: [handler]), over: Self.transport("") { _ in false })
        #expect(try await hooked.outcome().response?.status == 401)
        let challenging = try HookedSession(SessionHooks(challenges: [handler]), over: Self.transport { _ in false })
        var request = TaskRequest()
        request.acceptableStatuses = StatusSet([401...401])
        #expect(try await challenging.outcome(of: request).error == nil)
        #expect(handler.requests.events.isEmpty)
    }

    /// A handler that never answers in time.
    private struct Waiting: ChallengeHandler {
        let clock: ManualClock

        func answer(_ challenged: ChallengedRequest) async throws -> TransferRequest? {
            try await clock.sleep(for: .seconds(1))
            return nil
        }
    }

    @Test("leaves the 401 as the response if it takes too long, but not if its request is canceled")
    func late() async throws {
        let waiting = ManualClock()
        let hooked = try HookedSession(
            SessionHooks(challenges: [Waiting(clock: waiting)]), over: Self.transport { _ in false }
        ) {
            $0.timeouts.total = .seconds(10)
        }
        let canceled = try hooked.session.task(TaskRequest())
        canceled.resume()
        await waiting.sleepers(1)
        canceled.cancel()
        #expect(await canceled.outcome.error == .canceled)
        #expect(await canceled.outcome.response == nil)
        let late = try hooked.session.task(TaskRequest())
        late.resume()
        await waiting.sleepers(1)
        await hooked.clock.sleepers(1)
        hooked.clock.advance(by: .seconds(10))
        #expect(await late.outcome.error?.code == .timedOut)
        #expect(await late.outcome.response?.status == 401)
    }

    @Test("has content sent again from its beginning, unless that is impossible: then the 401 is the response")
    func content() async throws {
        let seen = EventLog<Int?>()
        let hooked = try HookedSession(
            SessionHooks(challenges: [Self.ada], monitors: [.observing { seen.append($0.status) }]),
            over: Self.transport { $0 == Self.accepted })
        let source = ReplayedSource([1, 2])
        #expect(try await hooked.outcome(of: TaskRequest(body: .source(source))).error == nil)
        #expect(source.rewinds == 1)
        let spent = try await hooked.outcome(
            of: TaskRequest(body: .source(ReplayedSource([1], canRewind: false))))
        #expect(spent.codes == [.bodyStreamExhausted])
        #expect(spent.response?.status == 401)
        #expect(seen.events == [200, 401])
    }

    @Test("may not change the origin, or break a rule of the session")
    func rules() async throws {
        let elsewhere = Asked { challenged in
            var request = challenged.request
            request.url = try HTTPURL("http://other.example/")
            return request
        }
        let framing = Asked { challenged in
            var request = challenged.request
            request.headers[.transferEncoding] = "chunked"
            return request
        }
        for (handler, code) in [(elsewhere, SessionErrorCode.urlOutOfScope), (framing, .hookFailed)] {
            let hooked = try HookedSession(
                SessionHooks(challenges: [handler]), over: Self.transport { _ in false })
            let outcome = try await hooked.outcome()
            #expect(outcome.codes == [code])
            #expect(outcome.response?.status == 401)
            #expect(hooked.transport.requests.count == 1)
        }
    }

    @Test("is asked although the content of unacceptable responses is not received")
    func refusedContent() async throws {
        let hooked = try HookedSession(
            SessionHooks(challenges: [Self.ada]), over: Self.transport { $0 == Self.accepted }
        ) {
            $0.response.disposition.unacceptable = .cancel
        }
        #expect(try await hooked.outcome().response?.text == "in")
    }

    @Test("answers a Digest challenge, and again after a stale nonce")
    func digest() async throws {
        let transport = ScriptedTransport { request in
            let authorization = request.headers[.authorization] ?? ""
            if authorization.contains(#"nonce="second""#) { return [.head(200)] }
            let isStale = authorization.contains(#"nonce="first""#)
            let challenge =
                #"Digest realm="r", qop="auth", nonce="\#(isStale ? "second" : "first")", stale=\#(isStale)"#
            return [.head(401, [.wwwAuthenticate: challenge])]
        }
        let hooks = SessionHooks(challenges: [.digest(username: "ada", password: "s3cret")])
        let hooked = try HookedSession(hooks, over: transport)
        #expect(try await hooked.outcome().error == nil)
        #expect(transport.requests.count == 3)

        let refusing = try HookedSession(
            hooks, over: Self.transport(#"Digest realm="r", qop="auth", nonce="n""#) { _ in false })
        #expect(try await refusing.outcome().response?.status == 401)
        #expect(refusing.transport.requests.count == 2)
    }
}
