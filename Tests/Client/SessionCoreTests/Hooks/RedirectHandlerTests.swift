import ErrandAuthentication
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A handler of redirects", .timeLimit(.hang))
struct RedirectHandlerTests {
    /// Redirects `/` to `/next`, with content.
    private static func transport() -> ScriptedTransport {
        ScriptedTransport { request in
            request.url.path == "/"
                ? [.head(302, [.location: "/next"]), .text("moved")] : [.head(200), .text("here")]
        }
    }

    /// The content of a response as text.
    private static func content(of outcome: SessionOutcome) -> String? { outcome.response?.text }

    @Test("follows redirects, and refuses them for one request")
    func refuses() async throws {
        let hooked = try HookedSession(SessionHooks(redirects: [.follow]), over: Self.transport())
        let followed = try await hooked.outcome()
        #expect(followed.error == nil)
        #expect(Self.content(of: followed) == "here")
        #expect(followed.redirects == [FollowedRedirect(status: 302, from: "http://e.com/", to: "http://e.com/next")])
        var request = TaskRequest()
        request.hooks = SessionHooks(redirects: [.doNotFollow])
        let refused = try await hooked.outcome(of: request)
        #expect(refused.codes == [.redirectRefused, .unacceptableStatus])
        #expect(refused.response?.status == 302)
        #expect(Self.content(of: refused) == "moved")
        #expect(refused.redirects.isEmpty)
        request.acceptableStatuses = StatusSet([302...302])
        #expect(try await hooked.outcome(of: request).error == nil)
    }

    @Test("changes the target and the fields of the next request")
    func changes() async throws {
        let hooks = SessionHooks(redirects: [
            .modify { request, response in
                var request = request
                guard let url = try? request.url.resolving("/other?status=\(response.status)") else { return nil }
                request.url = url
                request.headers[.from] = "ada"
                return request
            }
        ])
        let hooked = try HookedSession(hooks, over: Self.transport())
        let outcome = try await hooked.outcome(of: TaskRequest(method: "POST", body: .text("x")))
        #expect(outcome.error == nil)
        let sent = try #require(hooked.transport.requests.last)
        #expect(sent.url.string == "http://e.com/other?status=302")
        #expect(sent.headers[.from] == "ada")
        #expect(sent.method == .get)
        #expect(outcome.redirects.map(\.to) == ["http://e.com/other?status=302"])
        #expect(outcome.response?.redirects == 1)
    }

    @Test("that leads to another origin gives away nothing of the session's")
    func otherOrigin() async throws {
        let hooks = SessionHooks(redirects: [
            .modify { request, _ in
                guard let url = try? HTTPURL("http://other.example/there") else { return nil }
                var request = request
                request.url = url
                request.headers[.acceptLanguage] = "de"
                return request
            }
        ])
        let hooked = try HookedSession(hooks, over: Self.transport()) {
            $0.headers[.from] = "ada"
            $0.credentials = .bearer(token: "hush")
        }
        #expect(try await hooked.outcome().error == nil)
        let sent = hooked.transport.requests
        #expect(sent.map { $0.headers[.from] } == ["ada", nil])
        #expect(sent.map { $0.headers[.authorization] } == ["Bearer hush", nil])
        #expect(sent.last?.headers[.acceptLanguage] == "de")
        var request = TaskRequest()
        request.redirects = RedirectPolicy(mode: .sameOrigin)
        #expect(try await hooked.outcome(of: request).error?.code == .redirectRefused)
    }

    @Test("decides which secrets another origin gets: only those that it sets")
    func ownSecrets() async throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let token = try #require(HTTPField.Name("X-Auth-Token"))
        let hooks = SessionHooks(redirects: [
            .modify { request, _ in
                var request = request
                request.headers[token] = "other"
                return request
            }
        ])
        let transport = ScriptedTransport { request in
            request.url.host == "e.com" ? [.head(302, [.location: "http://other.example/"])] : [.head(200)]
        }
        let hooked = try HookedSession(hooks, over: transport)
        let headers = [TaskHeader("X-Api-Key", "own"), TaskHeader("X-Auth-Token", "own")]
        #expect(try await hooked.outcome(of: TaskRequest(headers: headers)).error == nil)
        let sent = hooked.transport.requests
        #expect(sent.map { $0.headers[key] } == ["own", nil])
        #expect(sent.map { $0.headers[token] } == ["own", "other"])
    }

    @Test("may refuse a redirect, or choose a request without content, if the content cannot be sent again")
    func spentContent() async throws {
        let transport = ScriptedTransport { request in
            request.url.path == "/" ? [.head(307, [.location: "/next"]), .text("moved")] : [.head(200), .text("here")]
        }
        let hooked = try HookedSession(SessionHooks(), over: transport)
        func outcome(_ handler: Redirector, canRewind: Bool = false) async throws -> SessionOutcome {
            var request = TaskRequest(body: .source(ReplayedSource([1], canRewind: canRewind)))
            request.hooks = SessionHooks(redirects: [handler])
            return try await hooked.outcome(of: request)
        }
        let refused = try await outcome(.doNotFollow)
        #expect(refused.codes == [.redirectRefused, .unacceptableStatus])
        #expect(refused.response?.status == 307)
        #expect(Self.content(of: refused) == "moved")
        let withoutContent = Redirector { request, _ in
            var request = request
            request.method = .get
            request.body = .none
            return request
        }
        let changed = try await outcome(withoutContent)
        #expect(changed.error == nil)
        #expect(Self.content(of: changed) == "here")
        #expect(transport.requests.map(\.method) == [.post, .post, .get])
        let followed = try await outcome(.follow)
        #expect(followed.codes == [.bodyStreamExhausted])
        #expect(followed.response?.status == 307)
        #expect(transport.requests.count == 4)
        #expect(try await outcome(.follow, canRewind: true).error == nil)
    }

    @Test("may choose other content, which is sent as it is")
    func otherContent() async throws {
        let transport = ScriptedTransport { request in
            request.url.path == "/" ? [.head(307, [.location: "/next"])] : [.head(200)]
        }
        let hooked = try HookedSession(SessionHooks(), over: transport)
        let (first, second) = (ReplayedSource([1], canRewind: false), ReplayedSource([2, 3], canRewind: false))
        var request = TaskRequest(body: .source(first))
        request.hooks = SessionHooks(redirects: [
            .modify { request, _ in
                var request = request
                request.body = .source(second)
                return request
            }
        ])
        #expect(try await hooked.outcome(of: request).error == nil)
        #expect(first.rewinds == 0 && second.rewinds == 0)
        #expect(transport.requests.count == 2)
    }

    @Test("may make a GET of a request with empty content, which is dropped with its fields, also elsewhere")
    func emptyContent() async throws {
        for target in ["http://e.com/next", "http://other.example/next"] {
            let url = try HTTPURL(target)
            let hooks = SessionHooks(redirects: [
                .modify { request, _ in
                    var request = request
                    request.url = url
                    request.method = .get
                    return request
                }
            ])
            let transport = ScriptedTransport { request in
                request.url.path == "/" ? [.head(307, [.location: "/next"])] : [.head(200)]
            }
            let hooked = try HookedSession(hooks, over: transport)
            #expect(try await hooked.outcome(of: TaskRequest(method: "POST")).error == nil)
            let sent = transport.requests
            #expect(sent.map { $0.headers.contains(.contentType) } == [true, false])
            #expect(sent.last?.content == nil)
            let refused = try await hooked.outcome(of: TaskRequest(method: "POST", body: .text("x")))
            #expect(refused.codes == [.unserializableParameters])
            #expect(refused.response?.status == 307)
        }
    }

    @Test("is not asked about a redirect that the policy of the request refuses")
    func policy() async throws {
        let asked = EventLog<Void>()
        let hooks = SessionHooks(redirects: [
            .modify { request, _ in
                asked.append()
                return request
            }
        ])
        let hooked = try HookedSession(hooks, over: Self.transport())
        var request = TaskRequest()
        request.redirects = RedirectPolicy(mode: .refuse)
        let outcome = try await hooked.outcome(of: request)
        #expect(outcome.codes == [.redirectRefused, .unacceptableStatus])
        #expect(asked.events.isEmpty)
    }
}
