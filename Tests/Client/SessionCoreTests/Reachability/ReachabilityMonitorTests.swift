import ErrandAuthentication
import ErrandEgress
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The reachability of a session", .timeLimit(.hang))
struct ReachabilityMonitorTests {
    var configuration: SessionConfiguration
    let clock = ManualClock()

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/v1/"))
        configuration.response.serializer = .raw
        configuration.reachability.interval = .seconds(30)
    }

    /// The changes that a session reports.
    private func changes(of session: Session) -> EventLog<Reachability> {
        let log = EventLog<Reachability>()
        let events = session.events
        Task {
            for await event in events {
                if case .reachability(let state) = event { log.append(state) }
            }
        }
        return log
    }

    @Test("is unknown until a task has run, then follows from the tasks, and is reported when it changes")
    func passive() async throws {
        let responses = Mutex<[ScriptedTransport.Step]>([
            .fail(TransferError(.cannotConnect, "Refused")), .fail(TransferError(.cannotConnect, "Refused")),
            .head(ResponseHead(status: 500)), .head(ResponseHead(status: 200)),
        ])
        let session = Session(
            configuration, transport: ScriptedTransport { _ in [responses.withLock { $0.removeFirst() }] },
            clock: clock)
        session.startMonitoring()
        #expect(session.reachability == .unknown)
        let changes = changes(of: session)
        for expected in [Reachability.notReachable, .notReachable, .reachable, .reachable] {
            _ = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
            #expect(session.reachability == expected)
        }
        #expect(await changes.first(2) == [.notReachable, .reachable])
    }

    @Test("is not affected by transfers to other origins")
    mutating func elsewhere() async throws {
        configuration.urlScope = .any
        let session = Session(
            configuration, transport: ScriptedTransport([.head(ResponseHead(status: 200))]), clock: clock)
        _ = await session.run(try session.prepare(TaskRequest(path: "http://b.com/")), sink: MemorySink())
        #expect(session.reachability == .unknown)
    }

    @Test("is probed by connections, one per interval")
    mutating func tcp() async throws {
        configuration.reachability.probe = .tcp
        let answers = Mutex<[TransferError?]>([nil, nil, TransferError(.timedOut, "Late"), nil])
        let asked = EventLog<String>()
        let transport = ScriptedTransport(connecting: { url in
            asked.append(url.string)
            return answers.withLock { $0.removeFirst() }
        }) { _ in [] }
        let session = Session(configuration, transport: transport, clock: clock)
        let changes = changes(of: session)
        session.startMonitoring()
        session.startMonitoring()
        for count in 1...3 {
            #expect(await clock.sleeps.first(count).last == .seconds(30))
            clock.advance(by: .seconds(30))
        }
        #expect(await changes.first(3) == [.reachable, .notReachable, .reachable])
        #expect(asked.events == Array(repeating: "http://a.com/v1/", count: 4))
        _ = await clock.sleeps.first(4)
        session.stopMonitoring()
        _ = await clock.cancellations.first(1)
    }

    @Test("is probed after a century at the latest, as the system's clock cannot wait for any time")
    mutating func longestInterval() async throws {
        configuration.reachability.probe = .tcp
        configuration.reachability.interval = .seconds(Int64.max)
        let session = Session(configuration, transport: ScriptedTransport([]), clock: clock)
        session.startMonitoring()
        #expect(await clock.sleeps.first(1) == [.seconds(100 * 366 * 86_400)])
        session.stopMonitoring()
        _ = await clock.cancellations.first(1)
    }

    @Test(
        "is unknown again after a connection that the session itself refuses, which is no evidence otherwise",
        arguments: [TransferError.Code.egressDenied, .untrustedRoot, .authenticationFailed])
    func refusedConnection(code: TransferError.Code) async throws {
        var configuration = configuration
        configuration.reachability.probe = .tcp
        let refusal = TransferError(code, "No")
        let answers = Mutex<[TransferError?]>([refusal, TransferError(.cannotConnect, "Down"), refusal, nil, refusal])
        let transport = ScriptedTransport(connecting: { _ in answers.withLock { $0.removeFirst() } }) { _ in [] }
        let session = Session(configuration, transport: transport, clock: clock)
        let changes = changes(of: session)
        session.startMonitoring()
        for count in 1...4 {
            _ = await clock.sleeps.first(count)
            clock.advance(by: .seconds(30))
        }
        _ = await clock.sleeps.first(5)
        #expect(session.reachability == .reachable)
        #expect(await changes.first(3) == [.notReachable, .unknown, .reachable])
        session.stopMonitoring()
    }

    @Test("is unknown again after a request to a path that the session itself refuses")
    mutating func refusedRequest() async throws {
        configuration.reachability.probe = .http(path: "health")
        let errors = Mutex<[TransferError.Code]>([.egressDenied, .connectionLost, .pinMismatch, .cannotConnect])
        let transport = ScriptedTransport { _ in [.fail(TransferError(errors.withLock { $0.removeFirst() }, "No"))] }
        let session = Session(configuration, transport: transport, clock: clock)
        session.startMonitoring()
        for (count, expected) in [(1, Reachability.unknown), (2, .notReachable), (3, .unknown), (4, .notReachable)] {
            _ = await clock.sleeps.first(count)
            #expect(session.reachability == expected, "after probe \(count)")
            if count < 4 { clock.advance(by: .seconds(30)) }
        }
        session.stopMonitoring()
    }

    @Test(
        "stays as it was after a probe for which this machine had no resource",
        arguments: [ReachabilityConfiguration.Probe.tcp, .http(path: "health")])
    func locallyRefusedProbe(probe: ReachabilityConfiguration.Probe) async throws {
        var configuration = configuration
        configuration.reachability.probe = probe
        let down = TransferError(.cannotConnect, "Down")
        var local = TransferError(.cannotConnect, "No free descriptor")
        local.isLocal = true
        let answers = Mutex<[TransferError?]>([nil, local, down, local])
        let transport = ScriptedTransport(connecting: { _ in answers.withLock { $0.removeFirst() } }) { _ in
            let error = answers.withLock { $0.removeFirst() }
            return [error.map { ScriptedTransport.Step.fail($0) } ?? .head(ResponseHead(status: 200))]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        session.startMonitoring()
        let states: [Reachability] = [.reachable, .reachable, .notReachable, .notReachable]
        for (count, expected) in zip(1..., states) {
            _ = await clock.sleeps.first(count)
            #expect(session.reachability == expected, "after probe \(count)")
            if count < 4 { clock.advance(by: .seconds(30)) }
        }
        session.stopMonitoring()
    }

    @Test(
        "is unknown again if a probe gets no token for good, and stays as it was if it may get one later",
        arguments: [(401, Reachability.unknown), (503, .notReachable)])
    func refusedToken(status: Int, expected: Reachability) async throws {
        var configuration = configuration
        configuration.reachability.probe = .http(path: "health")
        let down = ScriptedTransport([.fail(TransferError(.cannotConnect, "Down"))])
        let former = Session(configuration, transport: down, clock: clock)
        _ = await former.run(try former.prepare(TaskRequest()), sink: MemorySink())
        #expect(former.reachability == .notReachable)
        configuration.credentials = .oauth2(
            OAuth2ClientCredentials(tokenURL: try HTTPURL("http://id.com/"), clientID: "c", clientSecret: "s"))
        let transport = ScriptedTransport([.head(status), .text(#"{"error":"invalid_client"}"#)])
        let session = Session(configuration, transport: transport, continuing: former, clock: clock)
        session.startMonitoring()
        _ = await clock.sleeps.first(1)
        #expect(session.reachability == expected)
        #expect(transport.requests.map(\.url.host) == ["id.com"])
        session.stopMonitoring()
    }

    @Test(
        "is probed by a request, whose status counts",
        arguments: [
            (200, Reachability.reachable), (204, .reachable), (302, .reachable), (404, .notReachable),
            (503, .notReachable),
        ])
    func http(status: Int, expected: Reachability) async throws {
        var configuration = configuration
        configuration.reachability.probe = .http(path: "health")
        configuration.credentials = .bearer(token: "t0ken")
        let transport = ScriptedTransport([.head(ResponseHead(status: status)), .bytes([1])])
        let session = Session(configuration, transport: transport, clock: clock)
        session.startMonitoring()
        _ = await clock.sleeps.first(1)
        #expect(session.reachability == expected)
        #expect(transport.requests.map(\.url.string) == ["http://a.com/v1/health"])
        #expect(transport.requests.first?.headers[.authorization] == "Bearer t0ken")
        session.stopMonitoring()
    }

    @Test("is probed at another origin without the header fields and the credentials of the session")
    mutating func foreignProbe() async throws {
        configuration.reachability.probe = .http(path: "//b.com/health")
        configuration.credentials = .bearer(token: "t0ken")
        configuration.userAgent = "test/1"
        configuration.headers = [.init("X-API-Key")!: "s3cret"]
        let transport = ScriptedTransport([.head(ResponseHead(status: 200))])
        let session = Session(configuration, transport: transport, clock: clock)
        session.startMonitoring()
        _ = await clock.sleeps.first(1)
        #expect(transport.requests.map(\.url.string) == ["http://b.com/health"])
        #expect(transport.requests.first?.headers == [.userAgent: "test/1"])
        session.stopMonitoring()
    }

    @Test("is not confirmed by responses to tasks if a path is probed, as they do not prove its health")
    mutating func responsesAreNoHealth() async throws {
        configuration.reachability.probe = .http(path: "health")
        let transport = ScriptedTransport([.head(ResponseHead(status: 500))])
        let session = Session(configuration, transport: transport, clock: clock)
        _ = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(session.reachability == .unknown)
    }

    @Test("is probed by connections while tasks are held back, as no task would reveal it")
    mutating func holding() async throws {
        configuration.reachability.holdsWhenUnreachable = true
        let asked = EventLog<Void>()
        let transport = ScriptedTransport(connecting: { _ in
            asked.append()
            return nil
        }) { _ in [.fail(TransferError(.cannotFindHost, "Unknown"))] }
        let session = Session(configuration, transport: transport, clock: clock)
        let changes = changes(of: session)
        session.startMonitoring()
        _ = await clock.sleeps.first(1)
        #expect(asked.events.isEmpty)
        _ = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(session.reachability == .notReachable)
        clock.advance(by: .seconds(30))
        #expect(await changes.first(2) == [.notReachable, .reachable])
        session.stopMonitoring()
    }

    @Test("is not affected by a probe or a task that times out while it waits for a free connection")
    mutating func crowded() async throws {
        configuration.reachability.probe = .http(path: "health")
        let session = Session(configuration, transport: CrowdedTransport(), clock: clock)
        session.startMonitoring()
        _ = await clock.sleeps.first(1)
        #expect(session.reachability == .unknown)
        let outcome = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(outcome.error?.code == .timedOut)
        #expect(session.reachability == .unknown)
        session.stopMonitoring()
    }

    // MARK: Sessions that continue another

    /// Returns a session whose upstream is unreachable.
    private func unreachable(_ transport: ScriptedTransport) async throws -> Session {
        let session = Session(configuration, transport: transport, clock: clock)
        _ = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(session.reachability == .notReachable)
        return session
    }

    @Test("is known from the beginning if the session continues one with the same upstream, and is not a reset")
    func continued() async throws {
        let transport = ScriptedTransport([.fail(TransferError(.cannotConnect, "Refused"))])
        let former = try await unreachable(transport)
        func next(
            keepsCookies: Bool = true, _ change: (inout SessionConfiguration) throws -> Void = { _ in }
        ) throws -> Reachability {
            var other = configuration
            try change(&other)
            let session = Session(
                other, transport: transport, continuing: former, keepsCookies: keepsCookies, clock: clock)
            return session.reachability
        }
        #expect(try next() == .notReachable)
        #expect(try next { $0.timeouts.idle = .seconds(7) } == .notReachable)
        #expect(try next { $0.reachability.interval = .seconds(7) } == .notReachable)
        #expect(try next(keepsCookies: false) == .unknown)
        #expect(try next { $0.baseURL = try HTTPURL("http://b.com/v1/") } == .unknown)
        #expect(try next { $0.connection.proxy = "http://proxy.com:3128" } == .unknown)
        #expect(try next { $0.egress.trustsProxy.toggle() } == .unknown)
        #expect(try next { $0.reachability.probe = .tcp } == .unknown)
    }

    @Test("is probed at once if the session continues one whose upstream is unreachable")
    mutating func probeOfContinued() async throws {
        configuration.reachability.holdsWhenUnreachable = true
        let transport = ScriptedTransport([.fail(TransferError(.cannotConnect, "Refused"))])
        let former = try await unreachable(transport)
        let session = Session(configuration, transport: transport, continuing: former, clock: clock)
        let changes = changes(of: session)
        session.startMonitoring()
        #expect(await changes.first(1) == [.reachable])
        session.stopMonitoring()
    }

    @Test("follows from the tasks of a session that continues another")
    func tasksOfContinued() async throws {
        let responses = Mutex<[ScriptedTransport.Step]>([
            .fail(TransferError(.cannotConnect, "Refused")), .fail(TransferError(.cannotConnect, "Refused")),
            .head(ResponseHead(status: 200)),
        ])
        let transport = ScriptedTransport { _ in [responses.withLock { $0.removeFirst() }] }
        let former = try await unreachable(transport)
        let session = Session(configuration, transport: transport, continuing: former, clock: clock)
        let changes = changes(of: session)
        for expected in [Reachability.notReachable, .reachable] {
            _ = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
            #expect(session.reachability == expected)
        }
        #expect(await changes.first(1) == [.reachable])
    }

    // MARK: Challenges

    /// Starts to probe a path, and waits until the first probe has ended.
    private func probe(
        _ path: String = "health", with credentials: Credentials, over transport: ScriptedTransport
    ) async -> Session {
        var configuration = configuration
        configuration.reachability.probe = .http(path: path)
        configuration.credentials = credentials
        let session = Session(configuration, transport: transport, clock: clock)
        session.startMonitoring()
        _ = await clock.sleeps.first(1)
        return session
    }

    private static let digest = Credentials.digest(username: "u", password: "p")

    private static func challenge(nonce: String = "n", _ more: String = "") -> ScriptedTransport.Step {
        .head(401, [.wwwAuthenticate: #"Digest realm="r", nonce="\#(nonce)", qop="auth"\#(more)"#])
    }

    @Test("is probed by a request that answers a challenge: the first one, and that of a stale nonce")
    func answeredProbe() async throws {
        let probes = Mutex(0)
        let transport = ScriptedTransport { request in
            let nonce = probes.withLock { $0 == 0 ? "n1" : "n2" }
            let sent = request.headers[.authorization] ?? ""
            guard sent.contains(#" nonce="\#(nonce)""#) else {
                return [Self.challenge(nonce: nonce, sent.isEmpty ? "" : ", stale=true"), .bytes([1])]
            }
            probes.withLock { $0 += 1 }
            return [.head(204)]
        }
        let session = await probe(with: Self.digest, over: transport)
        #expect(session.reachability == .reachable)
        #expect(transport.requests.count == 2)
        // The second probe finds a stale nonce, and the third a valid one.
        for (number, requestCount) in [(2, 4), (3, 5)] {
            clock.advance(by: .seconds(30))
            _ = await clock.sleeps.first(number)
            #expect(session.reachability == .reachable)
            #expect(transport.requests.count == requestCount)
        }
        session.stopMonitoring()
    }

    @Test("is probed by a request that replaces a revoked token")
    func revokedToken() async throws {
        let given = Mutex(0)
        let transport = ScriptedTransport { request in
            guard request.url.host == "id.com" else {
                return [.head(request.headers[.authorization] == "Bearer t2" ? 200 : 401)]
            }
            let number = given.withLock { given in
                given += 1
                return given
            }
            return [.head(200), .text(#"{"access_token":"t\#(number)","token_type":"bearer"}"#)]
        }
        let client = OAuth2ClientCredentials(
            tokenURL: try HTTPURL("http://id.com/"), clientID: "c", clientSecret: "s")
        let session = await probe(with: .oauth2(client), over: transport)
        #expect(session.reachability == .reachable)
        #expect(transport.requests.map(\.url.host) == ["id.com", "a.com", "id.com", "a.com"])
        session.stopMonitoring()
    }

    @Test(
        "is not confirmed by a 401 that remains",
        arguments: [(Credentials.bearer(token: "t0ken"), 1), (digest, 2)])
    func refusedProbe(credentials: Credentials, requestCount: Int) async throws {
        let transport = ScriptedTransport { _ in [Self.challenge()] }
        let session = await probe(with: credentials, over: transport)
        #expect(session.reachability == .notReachable)
        #expect(transport.requests.count == requestCount)
        session.stopMonitoring()
    }

    @Test("is probed without credentials at another origin, whose challenge is not answered")
    func probeElsewhere() async throws {
        let transport = ScriptedTransport { _ in [Self.challenge()] }
        let session = await probe("http://b.com/health", with: Self.digest, over: transport)
        #expect(session.reachability == .notReachable)
        #expect(transport.requests.map(\.url.host) == ["b.com"])
        #expect(transport.requests.first?.headers.contains(.authorization) == false)
        session.stopMonitoring()
    }

    @Test("is probed within the timeout of a connection, which includes the answer to a challenge")
    mutating func probeTime() async throws {
        configuration.timeouts.connect = .seconds(10)
        let transport = ScriptedTransport { request in
            var measured = TransferMetrics()
            measured.total = request.headers.contains(.authorization) ? .seconds(7) : .seconds(4)
            return [Self.challenge(", stale=true"), .measure(measured)]
        }
        let session = await probe(with: Self.digest, over: transport)
        #expect(session.reachability == .notReachable)
        #expect(transport.requests.map(\.timeouts.total) == [.seconds(10), .seconds(6)])
        session.stopMonitoring()
    }
}

/// A transport whose transfers wait for a free connection until they time out.
private struct CrowdedTransport: Transport {
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        var outcome = TransferOutcome(error: TransferError(.timedOut, "Late"))
        outcome.hasOnlyWaited = true
        return outcome
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? { nil }
}
