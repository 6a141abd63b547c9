import ErrandAuthentication
import ErrandLocking
import ErrandResponseSerialization
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("The control of an attempt", .timeLimit(.hang))
struct AttemptControlTests {
    var configuration: SessionConfiguration
    let clock = ManualClock()
    let head = ScriptedTransport.Step.head(ResponseHead(status: 200))

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        configuration.suspendedKeep = .seconds(60)
    }

    /// A running attempt, controlled by its script.
    private struct Running {
        let control: AttemptControl
        let outcome: Task<SessionOutcome, Never>
    }

    private func start(
        _ script: [ScriptedTransport.Step], request: TaskRequest = TaskRequest(),
        control: AttemptControl = AttemptControl()
    ) async throws -> Running {
        let began = Signal<Void>()
        let transport = ScriptedTransport { _ in
            began.send()
            return script
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(request)
        let outcome = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        if !control.isSuspended { await began.wait() }
        return Running(control: control, outcome: outcome)
    }

    @Test("suspends an attempt that has not begun")
    func before() async throws {
        let control = AttemptControl()
        control.suspend()
        let running = try await start([head], control: control)
        #expect(control.resume())
        #expect(await running.outcome.value.error == nil)
    }

    @Test("tells that an attempt is resumed before the attempt goes on, and only if it was suspended")
    func tellsOfResumption() async throws {
        let control = AttemptControl(isSuspended: true)
        let events = EventLog<String>()
        let transport = ScriptedTransport { _ in
            events.append("sent")
            return [.head(ResponseHead(status: 200))]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(TaskRequest())
        async let outcome = session.run(prepared, sink: MemorySink(), control: control)
        #expect(control.resume { events.append("resumed") })
        #expect(!control.resume { events.append("resumed again") })
        let error = await outcome.error
        #expect(error == nil)
        #expect(events.events == ["resumed", "sent"])
    }

    @Test("counts the time before it is resumed if it begins suspended")
    func beginsSuspended() async throws {
        let control = AttemptControl(isSuspended: true)
        let before = control.suspendedTime
        while control.suspendedTime == before {}
        control.resume()
        let suspended = control.suspendedTime
        #expect(suspended > .zero)
        #expect(control.suspendedTime == suspended)
    }

    @Test("suspends and resumes an attempt without a trace")
    func standsStill() async throws {
        let gate = ScriptedTransport.Gate()
        let running = try await start([.wait(gate), head])
        #expect(running.control.suspend())
        #expect(!running.control.suspend())
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        gate.open()
        #expect(running.control.resume())
        #expect(!running.control.resume())
        let outcome = await running.outcome.value
        #expect(outcome.error == nil)
        #expect(!outcome.mayRestart)
        #expect(clock.sleeperCount == 0)
    }

    @Test("cancels an attempt that is suspended, or has not begun")
    func cancels() async throws {
        let running = try await start([.wait(.init()), head])
        running.control.suspend()
        running.control.cancel()
        #expect(await running.outcome.value.error == .canceled)
        let control = AttemptControl()
        control.suspend()
        let held = try await start([head], control: control)
        control.cancel(SessionError(.deadlineExceeded, "Too late"))
        #expect(await held.outcome.value.error?.code == .deadlineExceeded)
    }

    @Test("closes the connection of an attempt suspended for too long, which may restart")
    func expires() async throws {
        let running = try await start([.wait(.init()), head])
        running.control.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        let outcome = await running.outcome.value
        #expect(outcome.error?.code == .connectionLost)
        #expect(outcome.mayRestart)
    }

    @Test("does not let a POST restart that may have arrived")
    func expiresForGood() async throws {
        var sent = TransferMetrics()
        sent.bytesSent = 100
        let request = TaskRequest(method: "POST", body: .text("x"))
        let running = try await start([.measure(sent), .wait(.init()), head], request: request)
        running.control.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        let outcome = await running.outcome.value
        #expect(outcome.error?.code == .connectionLost)
        #expect(outcome.error?.mayHaveArrived == true)
        #expect(!outcome.mayRestart)
    }

    @Test("lets a POST restart of which nothing was sent")
    func expiresUnsent() async throws {
        let request = TaskRequest(method: "POST", body: .text("x"))
        let running = try await start([.wait(.init()), head], request: request)
        running.control.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        #expect(await running.outcome.value.mayRestart)
    }

    @Test("does not let a POST restart after a redirect, even if nothing of the next request was sent")
    func expiresAfterRedirect() async throws {
        let second = Signal<Void>()
        let transport = ScriptedTransport { [head] request in
            guard request.url.path == "/1" else {
                return [.head(ResponseHead(status: 303, headers: [.location: "/1"]))]
            }
            second.send()
            return [.wait(.init()), head]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(TaskRequest(method: "POST", body: .text("x")))
        let control = AttemptControl()
        let attempt = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        await second.wait()
        control.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        let outcome = await attempt.value
        #expect(outcome.error?.mayHaveArrived == true)
        #expect(!outcome.mayRestart)
    }

    @Test("performs operations on the transfer in the order of the calls, even if one call overtakes another")
    func order() async throws {
        let control = AttemptControl()
        let transport = SpiedTransport { control.resume() }
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(TaskRequest())
        let attempt = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        await transport.began.wait()
        let transfer = try #require(transport.control)
        control.suspend()
        #expect(await transfer.calls.first(2) == [.suspend, .resume])
        #expect(!control.isSuspended)
        transfer.end()
        #expect(await attempt.value.error == nil)
    }

    /// A transfer that has received 4000 bytes, all of its content.
    private final class ReceivedTransfer: TransferControl {
        var progress: TransferProgress { TransferProgress(received: 4000, receiveTotal: 4000) }

        func resumeReceiving() {}
        func resumeSending() {}
        func suspend() {}
        func resume() {}
        func cancel() {}
    }

    @Test("knows no total of the bytes of several requests, so that their rate falls while none arrive")
    func furtherRequest() {
        let (control, further) = (AttemptControl(), AttemptControl())
        control.adopt(ReceivedTransfer())
        further.adopt(ReceivedTransfer())
        #expect(control.transferProgress.receiveTotal == 4000)
        control.attach(further)
        let start = ContinuousClock.now
        var meter = ProgressMeter()
        meter.count(0, decoded: 0, total: nil, at: start)
        for (seconds, rate) in [(2, 4000), (4, 2000), (6, 1000)] as [(Int64, Int64)] {
            let progress = control.transferProgress
            #expect(progress.received == 8000)
            meter.count(
                progress.received, decoded: progress.received, total: progress.receiveTotal,
                at: start.advanced(by: .seconds(seconds)))
            #expect(meter.bytesPerSecond == rate)
            if seconds == 4 { control.detach(further) }
        }
    }

    @Test("releases an ended transfer, and with it the receiver and the sink")
    func letsGo() async throws {
        let transport = SpiedTransport()
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(TaskRequest())
        let attempt = Task { await session.run(prepared, sink: MemorySink()) }
        await transport.began.wait()
        transport.control?.end()
        #expect(await attempt.value.error == nil)
        #expect(transport.control == nil)
    }

    @Test("cancels an attempt that waits for a token")
    mutating func cancelsAuthentication() async throws {
        configuration.credentials = .oauth2(
            OAuth2ClientCredentials(
                tokenURL: try HTTPURL("http://tokens.com/"), clientID: "id", clientSecret: "secret"))
        let asked = Signal<Void>()
        let transport = ScriptedTransport { _ in
            asked.send()
            return [.wait(.init())]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let prepared = try session.prepare(TaskRequest())
        let control = AttemptControl()
        let attempt = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        await asked.wait()
        control.cancel(SessionError(.deadlineExceeded, "Too late"))
        #expect(await attempt.value.error?.code == .deadlineExceeded)
        #expect(transport.requests.map(\.url.host) == ["tokens.com"])
    }

    @Test("stops waiting before the first hop after the time that a suspended hop keeps its connection")
    func expiresUnbegun() async throws {
        let control = AttemptControl()
        control.suspend()
        let running = try await start([head], control: control)
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        clock.advance(by: .seconds(60))
        #expect(await running.outcome.value.mayRestart)
    }

    @Test(
        "stops waiting between two hops, where the first request may have arrived",
        arguments: [("GET", true), ("POST", false)])
    func expiresBetweenHops(method: String, mayRestart: Bool) async throws {
        let control = AttemptControl()
        let session = Session(configuration, transport: SuspendingTransport(control: control), clock: clock)
        let prepared = try session.prepare(TaskRequest(method: method))
        let attempt = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        clock.advance(by: .seconds(60))
        let outcome = await attempt.value
        #expect(outcome.error?.code == .connectionLost)
        #expect(outcome.error?.mayHaveArrived == true)
        #expect(outcome.mayRestart == mayRestart)
    }

    @Test("keeps a connection without limit if so configured")
    func keepsForEver() async throws {
        var other = self
        other.configuration.suspendedKeep = nil
        let gate = ScriptedTransport.Gate()
        let running = try await other.start([.wait(gate), head])
        running.control.suspend()
        gate.open()
        running.control.resume()
        #expect(await running.outcome.value.error == nil)
        #expect(clock.sleeps.events.isEmpty)
    }

    @Test("keeps a connection for a time of any length, also one that the system's clock cannot add to its own")
    func keepsForAges() async throws {
        var configuration = configuration
        configuration.suspendedKeep = .seconds(Int64.max)
        let gate = ScriptedTransport.Gate()
        let session = Session(configuration, transport: ScriptedTransport([.wait(gate), head]))
        let prepared = try session.prepare(TaskRequest())
        let control = AttemptControl()
        let attempt = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        try await until { control.state.withLock { $0.hop.transfer != nil } }
        control.suspend()
        let timer = control.state.withLock { $0.hop.expiry }
        let expiry = try #require(timer)
        gate.open()
        control.resume()
        await expiry.value
        #expect(await attempt.value.error == nil)
    }

    @Test("lets an attempt restart only if its connection was lost while suspended")
    func lost() async throws {
        let lost = TransferError(.connectionLost, "Lost")
        let gate = ScriptedTransport.Gate()
        let running = try await start([.wait(gate), .fail(lost)])
        running.control.suspend()
        gate.open()
        running.control.resume()
        #expect(await running.outcome.value.mayRestart)
        let never = try await start([.fail(lost)])
        #expect(await !never.outcome.value.mayRestart)
    }
}

/// A transport that answers every request with a redirect, and suspends the attempt as soon as it can.
private struct SuspendingTransport: Transport {
    let control: AttemptControl

    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        let head = ResponseHead(status: 302, headers: [.location: "/next"])
        _ = receiver.transferDidReceive(head)
        control.suspend()
        return TransferOutcome(head: head)
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? { nil }
}
