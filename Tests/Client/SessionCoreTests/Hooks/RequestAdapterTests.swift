import ErrandAuthentication
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("An adapter of requests", .timeLimit(.hang))
struct RequestAdapterTests {
    @Test("changes each request before it is sent, the session's adapters first")
    func order() async throws {
        let hooked = try HookedSession(
            SessionHooks(adapters: [
                .header(.from) { "ada" }, .modifying { $0.headers[.acceptLanguage] = "\($0.headers[.from] ?? "") de" },
            ]))
        var request = TaskRequest(path: "a")
        request.hooks = SessionHooks(adapters: [
            .modifying { request in
                request.headers[.acceptLanguage]?.append(" en")
                request.url = try request.url.resolving("b?c=1")
                request.method = .delete
            }
        ])
        #expect(try await hooked.outcome(of: request).error == nil)
        let sent = try #require(hooked.transport.requests.first)
        #expect(sent.headers[.from] == "ada")
        #expect(sent.headers[.acceptLanguage] == "ada de en")
        #expect(sent.url.string == "http://e.com/b?c=1")
        #expect(sent.method == .delete)
        #expect(sent.mayResend)
    }

    @Test("removes a field whose closure returns nil")
    func removes() async throws {
        let hooked = try HookedSession(SessionHooks(adapters: [.header(.from) { nil }])) { $0.headers[.from] = "ada" }
        #expect(try await hooked.outcome().error == nil)
        #expect(hooked.transport.requests.first?.headers[.from] == nil)
    }

    @Test("removes the User-Agent from requests to other origins too")
    func removesUserAgent() async throws {
        let transport = ScriptedTransport { request in
            request.url.host == "e.com" ? [.head(302, [.location: "http://other.example/"])] : [.head(200)]
        }
        let hooks = SessionHooks(adapters: [.header(.userAgent) { nil }])
        let hooked = try HookedSession(hooks, over: transport) { $0.userAgent = "errand/1.0" }
        #expect(try await hooked.outcome().error == nil)
        #expect(transport.requests.map { $0.headers[.userAgent] } == [nil, nil])
    }

    @Test("that fails ends the attempt with its error")
    func fails() async throws {
        let own = try HookedSession(SessionHooks(adapters: [.modifying { _ in throw OwnError(text: "secret") }]))
        let error = try #require(try await own.outcome().error)
        #expect(error.code == .hookFailed)
        #expect(error.cause as? OwnError == OwnError(text: "secret"))
        #expect(!"\(error)".contains("secret"))
        #expect(own.transport.requests.isEmpty)
        let known = SessionError(.diskFull, "No room")
        let session = try HookedSession(SessionHooks(adapters: [.modifying { _ in throw known }]))
        #expect(try await session.outcome().error == known)
    }

    private typealias Change = @Sendable (inout TransferRequest) throws -> Void

    private static let breaches: [(code: SessionErrorCode, change: Change)] = [
        (.urlOutOfScope, { $0.url = try HTTPURL("http://other.example/") }),
        (.urlOutOfScope, { $0.url = try HTTPURL("https://e.com/") }),
        (.methodNotAllowed, { $0.method = .trace }),
        (.hookFailed, { $0.headers[.transferEncoding] = "chunked" }),
        (.hookFailed, { $0.headers[.contentLength] = "5" }),
        (.unserializableParameters, { $0.body = .bytes([1]) }),
        (.unserializableParameters, { $0.body = .source(ReplayedSource([1])) }),
        (
            .unserializableParameters,
            {
                $0.method = .head
                $0.body = .bytes([1])
            }
        ),
    ]

    @Test("cannot break the rules of the session")
    func breaksRules() async throws {
        for (code, change) in Self.breaches {
            let hooked = try HookedSession(SessionHooks(adapters: [.modifying { try change(&$0) }]))
            #expect(try await hooked.outcome().error?.code == code)
            #expect(hooked.transport.requests.isEmpty)
        }
    }

    @Test("may make a GET or HEAD of a request without parameters, whose empty content is dropped with its fields")
    func dropsEmptyContent() async throws {
        for method in [HTTPRequest.Method.get, .head] {
            let hooked = try HookedSession(SessionHooks(adapters: [.modifying { $0.method = method }]))
            #expect(try await hooked.outcome(of: TaskRequest(method: "POST")).error == nil)
            let sent = try #require(hooked.transport.requests.first)
            #expect(sent.method == method)
            #expect(sent.content == nil)
            #expect(sent.headers[.contentType] == nil)
        }
    }

    @Test("decides by its fields if the response is decoded")
    func decoding() async throws {
        let rows: [(name: HTTPField.Name, value: String?, isDecoded: Bool)] = [
            (.acceptEncoding, "br", false), (.acceptEncoding, "gzip", true), (.acceptEncoding, nil, true),
            (.range, "bytes=0-99", false), (.range, nil, true), (.from, "ada", true),
        ]
        for row in rows {
            let value = row.value
            let hooked = try HookedSession(SessionHooks(adapters: [.header(row.name) { value }]))
            #expect(try await hooked.outcome().error == nil)
            #expect(hooked.transport.requests.map(\.acceptsCompression) == [row.isDecoded])
        }
    }

    @Test("that removes a field for which the response could not be decoded has it decoded again")
    func decodedAgain() async throws {
        for (name, value) in [(HTTPField.Name.acceptEncoding, "br"), (.range, "bytes=0-99")] {
            let request = TaskRequest(headers: [TaskHeader(name.rawName, value)])
            let plain = try HookedSession(SessionHooks())
            #expect(try await plain.outcome(of: request).error == nil)
            let hooked = try HookedSession(SessionHooks(adapters: [.header(name) { nil }]))
            #expect(try await hooked.outcome(of: request).error == nil)
            let sent = plain.transport.requests + hooked.transport.requests
            #expect(sent.map(\.acceptsCompression) == [false, true])
        }
    }

    @Test("sets fields for the origin of the request only")
    func origin() async throws {
        let hooks = SessionHooks(adapters: [.header(.from) { "ada" }, .header(.authorization) { "Bearer t" }])
        let transport = ScriptedTransport { request in
            guard request.url.host == "e.com", request.url.path != "/end" else { return [.head(200)] }
            return [.head(302, [.location: request.url.path == "/" ? "/next" : "http://other.example/"])]
        }
        let hooked = try HookedSession(hooks, over: transport) { $0.urlScope = .any }
        #expect(try await hooked.outcome().error == nil)
        #expect(transport.requests.map { $0.headers[.from] } == ["ada", "ada", nil])
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t", "Bearer t", nil])
        // The session's adapters do not see a request to another origin.
        #expect(try await hooked.outcome(of: TaskRequest(path: "http://third.example/")).error == nil)
        #expect(transport.requests.last?.headers[.from] == nil)
        var request = TaskRequest(path: "http://third.example/")
        request.hooks = hooks
        #expect(try await hooked.outcome(of: request).error == nil)
        #expect(transport.requests.last?.headers[.from] == "ada")
    }

    @Test("takes precedence over the session's credentials")
    func credentials() async throws {
        let hooked = try HookedSession(SessionHooks(adapters: [.header(.authorization) { "Bearer own" }])) {
            $0.credentials = .bearer(token: "session")
        }
        #expect(try await hooked.outcome().error == nil)
        #expect(hooked.transport.requests.map { $0.headers[.authorization] } == ["Bearer own"])
    }

    @Test("has a total timeout of any length, also one that the system's clock cannot add to its own time")
    func longestTimeout() async throws {
        let hooks = SessionHooks(adapters: [.header(.from) { "ada" }])
        let hooked = try HookedSession(hooks) { $0.timeouts.total = .seconds(Int64.max) }
        let session = Session(hooked.session.configuration, transport: hooked.transport, hooks: hooks)
        let outcome = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(outcome.error == nil)
        #expect(hooked.transport.requests.map { $0.headers[.from] } == ["ada"])
    }

    @Test("is canceled with its request, and by the total timeout")
    func ends() async throws {
        let waiting = ManualClock()
        let hooks = SessionHooks(adapters: [.modifying { _ in try await waiting.sleep(for: .seconds(1)) }])
        let hooked = try HookedSession(hooks) { $0.timeouts.total = .seconds(10) }
        let canceled = try hooked.session.task(TaskRequest())
        canceled.resume()
        await waiting.sleepers(1)
        canceled.cancel()
        #expect(await canceled.outcome.error == .canceled)
        let late = try hooked.session.task(TaskRequest())
        late.resume()
        await waiting.sleepers(1)
        await hooked.clock.sleepers(1)
        hooked.clock.advance(by: .seconds(10))
        #expect(await late.outcome.error?.code == .timedOut)
        #expect(hooked.transport.requests.isEmpty)
    }
}
