import ErrandAuthentication
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Redirects, cookies and credentials of whole attempts.
@Suite("An attempt", .timeLimit(.hang))
struct AttemptTests {
    var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        configuration.userAgent = nil
    }

    /// Runs a request over a script, which answers by URL.
    private func run(
        _ request: TaskRequest = TaskRequest(), sink: any BodySink = MemorySink(),
        script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step]
    ) async throws -> (outcome: SessionOutcome, requests: [TransferRequest]) {
        let transport = ScriptedTransport(script)
        let session = Session(configuration, transport: transport)
        let outcome = await session.run(try session.prepare(request), sink: sink)
        return (outcome, transport.requests)
    }

    private static func redirect(_ status: Int, to location: String, _ fields: HTTPFields = [:])
        -> ScriptedTransport.Step
    {
        var head = ResponseHead(status: status, headers: fields)
        head.headers[.location] = location
        return .head(head)
    }

    private static let ok = ScriptedTransport.Step.head(ResponseHead(status: 200))

    // MARK: Redirects

    @Test("follows redirects, and reports the final URL and the number of redirects")
    func follows() async throws {
        let sink = RecordingSink()
        let (outcome, requests) = try await run(TaskRequest(path: "0"), sink: sink) { request in
            switch request.url.path {
            case "/0": [Self.redirect(302, to: "/1"), .bytes(Array("gone".utf8))]
            case "/1": [Self.redirect(301, to: "/2")]
            default: [Self.ok, .bytes(Array("here".utf8))]
            }
        }
        #expect(outcome.error == nil)
        #expect(outcome.response?.url.string == "http://a.com/2")
        #expect(outcome.response?.redirects == 2)
        #expect(requests.map(\.url.path) == ["/0", "/1", "/2"])
        #expect(sink.record == .init(begun: 1, pieces: [Array("here".utf8)], finished: 1, discarded: 0))
    }

    @Test("follows a redirect whose own content never ends")
    func endlessRedirect() async throws {
        let piece = [UInt8](repeating: 0, count: 50_000)
        let (outcome, requests) = try await run { request in
            request.url.path == "/"
                ? [Self.redirect(302, to: "/1"), .bytes(piece), .bytes(piece), .bytes(piece)] : [Self.ok]
        }
        #expect(outcome.error == nil)
        #expect(requests.count == 2)
    }

    @Test("stops after the limit, with the last response")
    func limit() async throws {
        let (outcome, requests) = try await run { _ in [Self.redirect(302, to: "/")] }
        #expect(outcome.error?.code == .tooManyRedirects)
        #expect(outcome.error?.number == -1007)
        #expect(outcome.response?.head.status == 302)
        #expect(outcome.response?.redirects == 16)
        #expect(requests.count == 17)
    }

    @Test("treats a refused redirect as the response, an error unless its status is acceptable")
    mutating func refused() async throws {
        configuration.redirects.mode = .refuse
        let script: @Sendable (TransferRequest) -> [ScriptedTransport.Step] = { _ in
            [Self.redirect(302, to: "/1"), .bytes([1])]
        }
        let (refused, requests) = try await run(script: script)
        #expect(refused.error?.code == .redirectRefused)
        #expect(refused.error?.underlying?.code == .unacceptableStatus)
        #expect(refused.response?.body?.size == 1)
        #expect(requests.count == 1)
        configuration.response.acceptableStatuses = StatusSet([302...302])
        let (accepted, _) = try await run(script: script)
        #expect(accepted.error == nil)
    }

    @Test("drops the content and the fields that describe it when the method becomes GET")
    func dropsContent() async throws {
        let request = TaskRequest(
            method: "POST", headers: [TaskHeader("Content-Language", "de"), TaskHeader("X-A", "1")], body: .text("x"))
        let (_, requests) = try await run(request) { request in
            request.url.path == "/" ? [Self.redirect(302, to: "/1")] : [Self.ok]
        }
        let second = try #require(requests.last)
        #expect(second.method == .get)
        #expect(second.mayResend)
        #expect(second.headers == [HTTPField.Name("X-A") ?? .accept: "1"])
        guard case .none = second.body else {
            Issue.record("the content was sent again")
            return
        }
    }

    @Test("resends content after 307, from its beginning")
    func replays() async throws {
        let source = ReplayedSource(Array("content".utf8))
        let request = TaskRequest(method: "POST", body: .source(source))
        let (outcome, requests) = try await run(request) { request in
            request.url.path == "/" ? [Self.redirect(307, to: "/1")] : [Self.ok]
        }
        #expect(outcome.error == nil)
        #expect(requests.map(\.method) == [.post, .post])
        #expect(source.rewinds == 1)
    }

    @Test("fails if content must be resent but cannot be")
    func cannotReplay() async throws {
        let request = TaskRequest(method: "POST", body: .source(ReplayedSource([1], canRewind: false)))
        let (outcome, requests) = try await run(request) { _ in [Self.redirect(308, to: "/1")] }
        #expect(outcome.error?.code == .bodyStreamExhausted)
        #expect(outcome.error?.number == -1021)
        #expect(requests.count == 1)
    }

    @Test("tells of no redirect that it cannot follow")
    func untoldRedirect() async throws {
        let transport = ScriptedTransport { _ in [Self.redirect(308, to: "/1")] }
        let request = TaskRequest(method: "POST", body: .source(ReplayedSource([1], canRewind: false)))
        let task = try Session(configuration, transport: transport).task(request)
        let (outcome, told) = await task.told()
        #expect(outcome.error?.code == .bodyStreamExhausted)
        #expect(outcome.hops.isEmpty)
        #expect(!told.contains { $0.hasPrefix("redirected") })
        #expect(outcome.response?.head.status == 308)
        #expect(outcome.response?.head.headers[.location] == "/1")
        #expect(outcome.response?.url.string == "http://a.com/")
        #expect(told.filter { $0.hasPrefix("responded") } == ["responded with 308"])
        #expect(transport.requests.count == 1)
    }

    @Test("has a 417 as its response if the content cannot be sent again without the expectation")
    mutating func refusedExpectation() async throws {
        configuration.request.expectContinueBytes = 1
        let transport = ScriptedTransport { _ in [.head(417)] }
        let request = TaskRequest(method: "PUT", body: .source(ReplayedSource([1], canRewind: false)))
        let task = try Session(configuration, transport: transport).task(request)
        let (outcome, told) = await task.told()
        #expect(outcome.error?.code == .bodyStreamExhausted)
        #expect(outcome.response?.head.status == 417)
        #expect(told.filter { $0.hasPrefix("responded") } == ["responded with 417"])
        #expect(transport.requests.count == 1)
    }

    @Test("drops everything meant for its own origin at another, and does not restore it")
    mutating func leavesOrigin() async throws {
        configuration.headers = [.accept: "a/b"]
        configuration.userAgent = "errand/1.0"
        configuration.credentials = .basic(username: "u", password: "p")
        let request = TaskRequest(headers: [
            TaskHeader("Cookie", "a=1"), TaskHeader("Authorization", "x"), TaskHeader("X-Trace", "1"),
        ])
        let (_, requests) = try await run(request) { request in
            switch request.url.string {
            case "http://a.com/": [Self.redirect(302, to: "http://b.com/")]
            case "http://b.com/": [Self.redirect(302, to: "http://a.com/1")]
            default: [Self.ok]
            }
        }
        try #require(requests.count == 3)
        #expect(requests[0].headers[.authorization] != nil)
        #expect(requests[0].headers[.accept] == "a/b")
        for request in requests.dropFirst() {
            #expect(request.headers.map { "\($0)" } == ["X-Trace: 1", "User-Agent: errand/1.0"])
        }
    }

    @Test("sends the field of a key to no other origin, even if the task sets it")
    mutating func leavesWithKey() async throws {
        let name = try #require(HTTPField.Name("X-Key"))
        configuration.credentials = .apiKey(APIKey(place: .header(name), value: "s3cret"))
        let (_, requests) = try await run(TaskRequest(headers: [TaskHeader("x-key", "own")])) { request in
            request.url.host == "a.com" ? [Self.redirect(302, to: "http://b.com/")] : [Self.ok]
        }
        #expect(requests.map { $0.headers[name] } == ["own", nil])
    }

    @Test("counts as arrived after a redirect, whatever the outcome of the next request")
    func arrived() async throws {
        let request = TaskRequest(method: "POST", body: .text("x"))
        let (outcome, _) = try await run(request) { request in
            request.url.path == "/"
                ? [Self.redirect(303, to: "/1")] : [.fail(TransferError(.cannotConnect, "Refused"))]
        }
        #expect(outcome.error == SessionError(.cannotConnect, "Refused", mayHaveArrived: true))
    }

    // MARK: Cookies

    @Test("stores the cookies of each hop, and sends them with the next")
    func cookies() async throws {
        let (_, requests) = try await run { request in
            request.url.path == "/" ? [Self.redirect(302, to: "/1", [.setCookie: "a=1; Path=/"])] : [Self.ok]
        }
        #expect(requests.map { $0.headers[.cookie] } == [nil, "a=1"])
    }

    @Test("stores the cookies of a response when its head comes, not when its content ends")
    func cookiesOfHead() async throws {
        let end = ScriptedTransport.Gate()
        let transport = ScriptedTransport { request in
            switch request.url.path {
            case "/stream": [.head(ResponseHead(status: 200, headers: [.setCookie: "a=1; Path=/"])), .wait(end)]
            case "/login": [.head(ResponseHead(status: 200, headers: [.setCookie: "a=2; Path=/"]))]
            default: [Self.ok]
            }
        }
        let session = Session(configuration, transport: transport)
        let response = try await session.stream(TaskRequest(path: "stream"))
        let login = await session.run(try session.prepare(TaskRequest(path: "login")), sink: MemorySink())
        end.open()
        for try await _ in response {}
        let last = await session.run(try session.prepare(TaskRequest(path: "last")), sink: MemorySink())
        #expect(login.error == nil)
        #expect(last.error == nil)
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil, "a=1", "a=2"])
    }

    @Test("stores the cookies of a response whose transfer is stopped at its head, or fails later")
    mutating func cookiesOfFailure() async throws {
        configuration.response.disposition.maxBodyBytes = 1
        let large = ResponseHead(status: 200, headers: [.setCookie: "a=1; Path=/", .contentLength: "2"])
        let lost = ResponseHead(status: 200, headers: [.setCookie: "a=1; Path=/"])
        let failure = TransferError(.connectionLost, "Gone")
        let scripts: [[ScriptedTransport.Step]] = [[.head(large)], [.head(lost), .fail(failure)]]
        for steps in scripts {
            let transport = ScriptedTransport { $0.url.path == "/" ? steps : [Self.ok] }
            let session = Session(configuration, transport: transport)
            let outcome = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
            _ = await session.run(try session.prepare(TaskRequest(path: "1")), sink: MemorySink())
            #expect(outcome.error != nil)
            #expect(transport.requests.map { $0.headers[.cookie] } == [nil, "a=1"])
        }
    }

    @Test("stores no cookies if the session does not allow them")
    mutating func noCookies() async throws {
        configuration.cookies = .off
        let (_, requests) = try await run { request in
            request.url.path == "/" ? [Self.redirect(302, to: "/1", [.setCookie: "a=1; Path=/"])] : [Self.ok]
        }
        #expect(requests.map { $0.headers[.cookie] } == [nil, nil])
    }

    @Test("does not change the cookies of a task")
    func ownCookies() async throws {
        let (_, requests) = try await run(TaskRequest(headers: [TaskHeader("Cookie", "b=2")])) { request in
            request.url.path == "/" ? [Self.redirect(302, to: "/1", [.setCookie: "a=1; Path=/"])] : [Self.ok]
        }
        #expect(requests.map { $0.headers[.cookie] } == ["b=2", "b=2"])
    }

    @Test("sends no cookies for a task that has removed them")
    func removedCookies() async throws {
        let (_, requests) = try await run(TaskRequest(headers: [TaskHeader("Cookie", nil)])) { request in
            request.url.path == "/" ? [Self.redirect(302, to: "/1", [.setCookie: "a=1; Path=/"])] : [Self.ok]
        }
        #expect(requests.map { $0.headers[.cookie] } == [nil, nil])
    }

    // MARK: Credentials

    @Test("sends credentials, and never shows them")
    mutating func basic() async throws {
        configuration.credentials = .basic(username: "Aladdin", password: "open sesame")
        let session = Session(configuration, transport: ScriptedTransport([Self.ok]))
        #expect(try session.prepare(TaskRequest()).shownHeaders[.authorization] == "[redacted]")
        let (_, requests) = try await run { _ in [Self.ok] }
        // The example of RFC 7617 §2.
        #expect(requests.first?.headers[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test("does not override credentials that a task sets or removes", arguments: ["Bearer own", nil])
    mutating func ownProof(value: String?) async throws {
        configuration.credentials = .basic(username: "u", password: "p")
        let (_, requests) = try await run(TaskRequest(headers: [TaskHeader("authorization", value)])) { _ in [Self.ok] }
        #expect(requests.first?.headers[.authorization] == value)
    }

    @Test("never shows a key in the query, wherever a redirect repeats it")
    mutating func queryKey() async throws {
        configuration.credentials = .apiKey(APIKey(place: .query("key"), value: "s3cret"))
        let session = Session(configuration, transport: ScriptedTransport([Self.ok]))
        #expect(try session.prepare(TaskRequest(path: "?a=1")).shownURL == "http://a.com/?a=1&key=[redacted]")
        let (outcome, requests) = try await run(TaskRequest(path: "?a=1")) { request in
            request.url.path == "/" ? [Self.redirect(302, to: "/1?\(request.url.query ?? "")&b=2")] : [Self.ok]
        }
        #expect(requests.first?.url.query == "a=1&key=s3cret")
        #expect(outcome.response?.shownURL == "http://a.com/1?a=1&key=[redacted]&b=2")
    }

    @Test("reports redirects and challenges without the key and without header fields")
    mutating func eventsWithoutKey() async throws {
        configuration.credentials = .apiKey(APIKey(place: .query("key"), value: "s3cret"))
        let transport = ScriptedTransport { request in
            request.url.path == "/"
                ? [Self.redirect(302, to: "/1")] : [.head(ResponseHead(status: 200, headers: [.setCookie: "a=s3cret"]))]
        }
        let task = try Session(configuration, transport: transport).task(TaskRequest())
        let events = task.events
        task.resume()
        let shown = await events.reduce(into: [String]()) { shown, event in
            if case .redirected(let from, _, _) = event { shown.append(from.string) }
            var dumped = ""
            dump(event, to: &dumped)
            shown += ["\(event)", "\(String(reflecting: event))", dumped]
        }
        #expect(transport.requests.map(\.url.query) == ["key=s3cret", "key=s3cret"])
        #expect(shown.contains("http://a.com/"))
        #expect(shown.contains("redirected by 302 from http://a.com/ to http://a.com/1"))
        #expect(!shown.contains { $0.contains("s3cret") })
        let outcome = await task.outcome
        var dumped = ""
        dump(outcome, to: &dumped)
        dump(task.request, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect("\(task.request)" == "GET http://a.com/?key=[redacted]")
    }

    @Test("answers a challenge once, and reads the response to the answer")
    mutating func digest() async throws {
        configuration.credentials = .digest(username: "u", password: "p")
        let sink = RecordingSink()
        let (outcome, requests) = try await run(sink: sink) { request in
            request.headers.contains(.authorization)
                ? [Self.ok, .bytes([1])]
                : [
                    .head(
                        ResponseHead(
                            status: 401,
                            headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#])
                    ),
                    .bytes(Array("who?".utf8)),
                ]
        }
        #expect(outcome.error == nil)
        #expect(requests.count == 2)
        #expect(sink.record.discarded == 1)
        #expect(sink.record.finished == 1)
    }

    @Test("returns the 401 if the credentials cannot answer it")
    mutating func unauthorized() async throws {
        configuration.credentials = .bearer(token: "t0ken")
        let (outcome, requests) = try await run { _ in [.head(ResponseHead(status: 401)), .bytes([1])] }
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.response?.body?.size == 1)
        #expect(requests.count == 1)
    }

    @Test("hides the value of a request's field whose name suggests a secret")
    mutating func secretFields() async throws {
        configuration.headers = [try #require(HTTPField.Name("X-Api-Key")): "s3cret", .accept: "a/b"]
        let session = Session(configuration, transport: ScriptedTransport([Self.ok]))
        let request = TaskRequest(headers: [
            TaskHeader("Private-Token", "s3cret"), TaskHeader("Idempotency-Key", "1"), TaskHeader("X-Trace", "2"),
        ])
        let shown = try session.prepare(request).shownHeaders
        #expect(!shown.contains { $0.value.contains("s3cret") })
        #expect(shown.filter { $0.value == "[redacted]" }.count == 2)
        #expect(shown.filter { $0.value != "[redacted]" }.map(\.value) == ["a/b", "1", "2"])
    }

    @Test("counts the time for a token, and ends when it exceeds the timeout")
    mutating func tokenTakesAllTime() async throws {
        configuration.timeouts.total = .seconds(5)
        configuration.credentials = .oauth2(
            OAuth2ClientCredentials(tokenURL: try HTTPURL("http://id.com/"), clientID: "c", clientSecret: "s"))
        let clock = ManualClock()
        let session = Session(configuration, transport: ScriptedTransport([.wait(.init())]), clock: clock)
        let prepared = try session.prepare(TaskRequest())
        let attempt = Task { await session.run(prepared, sink: MemorySink()) }
        #expect(await clock.sleeps.first(1) == [.seconds(5)])
        clock.advance(by: .seconds(5))
        #expect(await attempt.value.error?.code == .timedOut)
    }

    // MARK: Time

    @Test("gives each hop the time that the previous hops left")
    mutating func total() async throws {
        configuration.timeouts.total = .seconds(10)
        var measured = TransferMetrics()
        measured.total = .seconds(7)
        measured.suspended = .seconds(3)
        let (outcome, requests) = try await run { [measured] request in
            request.url.path.count < 4
                ? [Self.redirect(302, to: request.url.path + "x"), .measure(measured)] : [Self.ok]
        }
        // Four seconds of each hop count, as three of the seven were spent suspended.
        #expect(requests.map(\.timeouts.total) == [.seconds(10), .seconds(6), .seconds(2)])
        #expect(outcome.error?.code == .timedOut)
        #expect(outcome.error?.message == "The attempt did not end within timeouts.total = 10s")
        #expect(outcome.metrics.total == .seconds(21))
        #expect(outcome.redirects.count == 3)
        #expect(outcome.response == nil, "the redirects were followed")
    }
}

/// A body source that records rewinds.
final class ReplayedSource: BodySource {
    private let bytes: [UInt8]
    private let canRewind: Bool
    private let state = Mutex((offset: 0, rewinds: 0))

    init(_ bytes: [UInt8], canRewind: Bool = true) {
        self.bytes = bytes
        self.canRewind = canRewind
    }

    var rewinds: Int { state.withLock { $0.rewinds } }
    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        state.withLock { state in
            guard state.offset < bytes.count else { return .end }
            while state.offset < bytes.count, buffer.freeCapacity > 0 {
                buffer.append(bytes[state.offset])
                state.offset += 1
            }
            return .bytes
        }
    }

    func rewind() -> Bool {
        state.withLock { state in
            state.rewinds += 1
            state.offset = 0
        }
        return canRewind
    }
}
