import ErrandAuthentication
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A challenged attempt", .timeLimit(.hang))
struct AttemptChallengesTests {
    var configuration: SessionConfiguration
    let clock = ManualClock()

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        configuration.response.disposition.maxBodyBytes = 1024
        configuration.credentials = .digest(username: "u", password: "p")
        configuration.suspendedKeep = .seconds(60)
    }

    /// Runs a request over a script.
    private func run(
        _ request: TaskRequest = TaskRequest(), sink: any BodySink = MemorySink(),
        script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step]
    ) async throws -> (outcome: SessionOutcome, requests: [TransferRequest]) {
        let transport = ScriptedTransport(script)
        let session = Session(configuration, transport: transport, clock: clock)
        let outcome = await session.run(try session.prepare(request), sink: sink)
        return (outcome, transport.requests)
    }

    private static let field = #"Digest realm="r", nonce="n", qop="auth""#
    private static let challenge = ScriptedTransport.Step.head(401, [.wwwAuthenticate: field])

    // MARK: Content that cannot be received

    /// Challenges whose content fails, by the code of the failure.
    private static let failures: [(code: SessionErrorCode, steps: [ScriptedTransport.Step])] = [
        (.bodyTooLarge, [challenge, .bytes([UInt8](repeating: 0, count: 4096))]),
        (.bodyTooLarge, [.head(401, [.wwwAuthenticate: field, .contentLength: "4096"])]),
        (.connectionLost, [challenge, .bytes([1]), .fail(lost)]),
        (.badContentEncoding, [challenge, .fail(TransferError(.badContentEncoding, "Damaged"))]),
        (.timedOut, [challenge, .bytes([1]), .fail(TransferError(.timedOut, "No byte came"))]),
    ]
    private static let lost = TransferError(.connectionLost, "Lost", mayHaveArrived: true)
    private static let cutOff: [ScriptedTransport.Step] = [challenge, .bytes([1]), .fail(lost)]

    @Test("answers, even if the content of the challenge cannot be received", arguments: failures.indices)
    func failedContent(index: Int) async throws {
        let (outcome, requests) = try await run { request in
            request.headers.contains(.authorization) ? [.head(200), .bytes([1, 2])] : Self.failures[index].steps
        }
        #expect(outcome.error == nil)
        #expect(outcome.response?.body?.size == 2)
        #expect(requests.count == 2)
    }

    @Test("discards the content of the challenge, and begins again with that of the next response")
    func sink() async throws {
        let sink = RecordingSink()
        let (outcome, _) = try await run(sink: sink) { request in
            request.headers.contains(.authorization) ? [.head(200), .bytes([2])] : Self.cutOff
        }
        #expect(outcome.error == nil)
        #expect(sink.record == .init(begun: 2, pieces: [[1], [2]], finished: 1, discarded: 1))
    }

    @Test("answers if only the status counts")
    func judgedByStatus() async throws {
        var task = TaskRequest(method: "POST", responseSerializer: .raw)
        task.isJudgedByStatus = true
        let (outcome, requests) = try await run(task) { request in
            request.headers.contains(.authorization) ? [.head(204)] : Self.cutOff
        }
        #expect(outcome.error == nil)
        #expect(outcome.response?.head.status == 204)
        #expect(requests.count == 2)
    }

    @Test("replaces a refused token, even if the content of the refusal cannot be received")
    mutating func token() async throws {
        configuration.credentials = .oauth2(
            OAuth2ClientCredentials(tokenURL: try HTTPURL("http://id.com/"), clientID: "c", clientSecret: "s"))
        let given = Mutex(0)
        let (outcome, requests) = try await run { request in
            guard request.url.host == "id.com" else {
                return request.headers[.authorization] == "Bearer t1" ? Self.cutOff : [.head(200)]
            }
            let number = given.withLock { given in
                given += 1
                return given
            }
            return [.head(200), .text(#"{"access_token":"t\#(number)","token_type":"bearer","expires_in":60}"#)]
        }
        #expect(outcome.error == nil)
        #expect(requests.map(\.url.host) == ["id.com", "a.com", "id.com", "a.com"])
    }

    @Test("sends its content again if the challenge came early and the connection was reset")
    func upload() async throws {
        let source = ReplayedSource(Array("content".utf8))
        let (outcome, requests) = try await run(TaskRequest(method: "POST", body: .source(source))) { request in
            request.headers.contains(.authorization) ? [.head(204)] : Self.cutOff
        }
        #expect(outcome.error == nil)
        #expect(requests.map(\.method) == [.post, .post])
        #expect(source.rewinds > 0)
    }

    @Test("ends with the failure of the transfer if its content cannot be sent again")
    func spentContent() async throws {
        let task = TaskRequest(method: "POST", body: .source(ReplayedSource([1], canRewind: false)))
        let (outcome, requests) = try await run(task) { _ in Self.cutOff }
        #expect(outcome.error == SessionError(.connectionLost, "Lost", mayHaveArrived: true))
        #expect(outcome.response?.head.status == 401)
        #expect(requests.count == 1)
    }

    @Test("tells of no challenge that it cannot answer because its content cannot be sent again")
    func untoldChallenge() async throws {
        let transport = ScriptedTransport { _ in [Self.challenge] }
        let request = TaskRequest(method: "POST", body: .source(ReplayedSource([1], canRewind: false)))
        let task = try Session(configuration, transport: transport, clock: clock).task(request)
        let (outcome, told) = await task.told()
        #expect(outcome.error?.code == .bodyStreamExhausted)
        #expect(outcome.hops.isEmpty)
        #expect(!told.contains { $0.hasPrefix("challenged") })
        #expect(outcome.response?.head.status == 401)
        #expect(told.filter { $0.hasPrefix("responded") } == ["responded with 401"])
        #expect(transport.requests.count == 1)
    }

    @Test("has the 401 as its response if no other token may be fetched")
    mutating func excessiveTokens() async throws {
        configuration.credentials = .oauth2(
            OAuth2ClientCredentials(tokenURL: try HTTPURL("http://id.com/"), clientID: "c", clientSecret: "s"))
        let given = Mutex(0)
        let transport = ScriptedTransport { request in
            guard request.url.host == "id.com" else { return [Self.challenge] }
            let number = given.withLock { given in
                given += 1
                return given
            }
            return [.head(200), .text(#"{"access_token":"t\#(number)","token_type":"bearer","expires_in":60}"#)]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        var outcome = SessionOutcome()
        // Each attempt discards one token, and five may be fetched within the window.
        for _ in 0..<5 { outcome = await session.run(try session.prepare(TaskRequest()), sink: MemorySink()) }
        #expect(outcome.error?.code == .authenticationFailed)
        #expect(outcome.response?.head.status == 401)
    }

    @Test(
        "ends with the failure of the transfer if the 401 remains",
        arguments: [nil, Credentials.bearer(token: "t"), Credentials.digest(username: "u", password: "p")],
        failures.indices)
    mutating func remains(credentials: Credentials?, index: Int) async throws {
        configuration.credentials = credentials
        let (outcome, requests) = try await run { _ in Self.failures[index].steps }
        #expect(outcome.error?.code == Self.failures[index].code)
        #expect(outcome.response?.head.status == 401)
        #expect(requests.count == (credentials?.kind == "digest" ? 2 : 1))
    }

    @Test("does not answer if content cannot be stored", arguments: [TransferError.Code.diskFull, .cannotWrite])
    func noRoom(code: TransferError.Code) async throws {
        let (outcome, requests) = try await run { _ in [Self.challenge, .fail(TransferError(code, "Not stored"))] }
        #expect(outcome.error?.message == "Not stored")
        #expect(outcome.response?.head.status == 401)
        #expect(requests.count == 1)
    }

    @Test("does not answer after its total timeout")
    mutating func overdue() async throws {
        configuration.timeouts.total = .seconds(10)
        var measured = TransferMetrics()
        measured.total = .seconds(10)
        let (outcome, requests) = try await run { [measured] _ in
            [Self.challenge, .measure(measured), .fail(TransferError(.timedOut, "Late"))]
        }
        #expect(outcome.error?.message == "The attempt did not end within timeouts.total = 10s")
        #expect(outcome.response?.head.status == 401)
        #expect(requests.count == 1)
    }

    // MARK: Control

    /// An attempt whose challenge has come, but not its content.
    private struct Running {
        let control: AttemptControl
        let transport: ScriptedTransport
        let outcome: Task<SessionOutcome, Never>
    }

    private func start() async throws -> Running {
        let transport = ScriptedTransport { request in
            request.headers.contains(.authorization) ? [.head(200)] : [Self.challenge, .wait(.init())]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(TaskRequest())
        let (control, sink) = (AttemptControl(), WatchedSink())
        let outcome = Task { await session.run(prepared, sink: sink, control: control) }
        await sink.begun.wait()
        return Running(control: control, transport: transport, outcome: outcome)
    }

    @Test("does not answer after a cancellation by its owner")
    func canceled() async throws {
        let running = try await start()
        running.control.cancel(SessionError(.deadlineExceeded, "Too late"))
        #expect(await running.outcome.value.error?.code == .deadlineExceeded)
        #expect(running.transport.requests.count == 1)
    }

    @Test("does not answer after a cancellation of its Swift task")
    func canceledTask() async throws {
        let running = try await start()
        running.outcome.cancel()
        let outcome = await running.outcome.value
        #expect(outcome.error?.code == .canceled)
        #expect(outcome.response?.head.status == 401)
        #expect(running.transport.requests.count == 1)
    }

    @Test("answers when it is resumed, even if it was suspended for so long that its connection was closed")
    func resumed() async throws {
        let running = try await start()
        running.control.suspend()
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        clock.advance(by: .seconds(60))
        #expect(await clock.sleeps.first(2) == [.seconds(60), .seconds(60)])
        running.control.resume()
        #expect(await running.outcome.value.error == nil)
        #expect(running.transport.requests.count == 2)
    }

    @Test("may restart if it stays suspended")
    func staysSuspended() async throws {
        let running = try await start()
        running.control.suspend()
        for count in 1...2 {
            _ = await clock.sleeps.first(count)
            clock.advance(by: .seconds(60))
        }
        let outcome = await running.outcome.value
        #expect(outcome.error?.code == .connectionLost)
        #expect(outcome.mayRestart)
        #expect(running.transport.requests.count == 1)
    }

    // MARK: One-time nonces

    @Test("answers with the nonce of its own challenge, even if another attempt was challenged meanwhile")
    func ownNonce() async throws {
        let (server, gates) = (OneTimeNonces(), [ScriptedTransport.Gate(), ScriptedTransport.Gate()])
        let transport = ScriptedTransport { request in
            [.wait(gates[request.url.path == "/0" ? 0 : 1]), server.response(to: request)]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let mayAnswer = Signal<Void>()
        let sink = WatchedSink(mayDiscard: mayAnswer)
        let tasks = try (0..<2).map { try session.prepare(TaskRequest(path: "\($0)")) }
        let first = Task { await session.run(tasks[0], sink: sink) }
        let second = Task { await session.run(tasks[1], sink: MemorySink()) }
        _ = await transport.requests(2)
        // The first attempt learns its challenge first, and answers it last.
        gates[0].open()
        await sink.discarded.wait()
        gates[1].open()
        #expect(await second.value.error == nil)
        mayAnswer.send()
        #expect(await first.value.error == nil)
        #expect(transport.requests.count == 4)
    }

    @Test("answers once more if another attempt has used up the nonce of its challenge")
    func usedNonce() async throws {
        let server = OneTimeNonces()
        let transport = ScriptedTransport { [server.response(to: $0)] }
        let session = Session(configuration, transport: transport, clock: clock)
        let mayAnswer = Signal<Void>()
        let sink = WatchedSink(mayDiscard: mayAnswer)
        let prepared = try session.prepare(TaskRequest())
        let first = Task { await session.run(prepared, sink: sink) }
        await sink.discarded.wait()
        let second = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(second.error == nil)
        mayAnswer.send()
        #expect(await first.value.error == nil)
        #expect(transport.requests.count == 4)
    }

    @Test("answers for each target of redirects, which may challenge anew")
    func redirected() async throws {
        let server = OneTimeNonces()
        let targets = ["/1": "/2", "/2": "/3"]
        let script: @Sendable (TransferRequest) -> [ScriptedTransport.Step] = { request in
            guard let target = targets[request.url.path] else { return [server.response(to: request)] }
            return [server.response(to: request, accepted: .head(302, [.location: target]))]
        }
        let (outcome, requests) = try await run(TaskRequest(path: "1"), script: script)
        #expect(outcome.error == nil)
        #expect(outcome.response?.head.status == 200)
        #expect(requests.map(\.url.path) == ["/1", "/1", "/2", "/2", "/3", "/3"])
        // Handlers that decide about redirects lead to other requests too.
        var task = TaskRequest(path: "1")
        task.hooks = SessionHooks(redirects: [.follow])
        #expect(try await run(task, script: script).outcome.response?.head.status == 200)
    }

    @Test("needs one request more only until a nonce is known that remains valid")
    func sharedNonce() async throws {
        let transport = ScriptedTransport { request in
            request.headers.contains(.authorization) ? [.head(200)] : [Self.challenge]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        for _ in 0..<3 {
            let outcome = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
            #expect(outcome.error == nil)
        }
        #expect(transport.requests.map { $0.digest("nc") } == [nil, "00000001", "00000002", "00000003"])
    }
}

/// A server that accepts each Digest nonce once, and does not call those that were used stale.
private final class OneTimeNonces: Sendable {
    private let state = Mutex((named: 0, valid: Set<String>()))

    /// Returns the head of the response.
    ///
    /// - Parameter accepted: That of the response to a request with a valid nonce. Default: a status of 200.
    func response(
        to request: TransferRequest, accepted: ScriptedTransport.Step = .head(200)
    ) -> ScriptedTransport.Step {
        let nonce = request.digest("nonce")
        return state.withLock { state -> ScriptedTransport.Step in
            if let nonce, state.valid.remove(nonce) != nil { return accepted }
            state.named += 1
            state.valid.insert("n\(state.named)")
            return .head(401, [.wwwAuthenticate: #"Digest realm="r", nonce="n\#(state.named)", qop="auth""#])
        }
    }
}

extension TransferRequest {
    /// Returns a parameter of the Digest authorization; `nil` without one.
    fileprivate func digest(_ parameter: String) -> String? {
        let field = headers[.authorization] ?? ""
        return AuthenticationChallenge.parse(fields: [field]).first?[parameter: parameter]
    }
}

/// A sink that tells of a response and of a discard, which waits until a test lets it end.
private final class WatchedSink: BodySink {
    let begun = Signal<Void>()
    let discarded = Signal<Void>()
    private let mayDiscard: Signal<Void>?

    init(mayDiscard: Signal<Void>? = nil) {
        self.mayDiscard = mayDiscard
    }

    func begin(resume: @escaping @Sendable () -> Void) { begun.send() }
    func append(_ bytes: RawSpan) -> ReceiveDecision { .more }
    func finish() async throws(TransferError) -> ReceivedBody { .empty }

    func discard() async {
        discarded.send()
        await mayDiscard?.wait()
    }
}
