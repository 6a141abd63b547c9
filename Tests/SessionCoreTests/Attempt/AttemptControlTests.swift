import Authentication
import HTTPTypes
import ResponseSerialization
import SessionCore
import Support
import Testing
import Transfer

@Suite("The control of an attempt", .timeLimit(.minutes(1)))
struct AttemptControlTests {
    var configuration: SessionConfiguration
    let clock = ManualClock()
    let head = ScriptedTransport.Step.head(ResponseHead(status: 200))

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        configuration.suspendedKeep = .seconds(60)
    }

    /// An attempt under way, at the hold of its script.
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

    @Test("holds an attempt back that has not begun")
    func before() async throws {
        let control = AttemptControl()
        control.suspend()
        let running = try await start([head], control: control)
        #expect(control.resume())
        #expect(await running.outcome.value.error == nil)
    }

    @Test("lets an attempt stand still, and go on as if nothing had been")
    func standsStill() async throws {
        let hold = ScriptedTransport.Hold()
        let running = try await start([.wait(hold), head])
        #expect(running.control.suspend())
        #expect(!running.control.suspend())
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        hold.release()
        #expect(running.control.resume())
        #expect(!running.control.resume())
        let outcome = await running.outcome.value
        #expect(outcome.error == nil)
        #expect(!outcome.mayRestart)
        #expect(clock.sleeperCount == 0)
    }

    @Test("cancels an attempt that stands still, or has not begun")
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

    @Test("closes the connection of what stands still for too long, and says that it may begin again")
    func expires() async throws {
        let running = try await start([.wait(.init()), head])
        running.control.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        let outcome = await running.outcome.value
        #expect(outcome.error?.code == .connectionLost)
        #expect(outcome.mayRestart)
    }

    @Test("does not let a POST begin again that may have arrived")
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

    @Test("lets a POST begin again of which nothing was sent")
    func expiresUnsent() async throws {
        let request = TaskRequest(method: "POST", body: .text("x"))
        let running = try await start([.wait(.init()), head], request: request)
        running.control.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        #expect(await running.outcome.value.mayRestart)
    }

    @Test("does not let a POST begin again that a redirect has answered, however little of the next request was sent")
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

    @Test("tells the transfer what it was told in the same order, though one call overtakes another")
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

    @Test("lets go of a transfer that is over, and so of its receiver and its sink")
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

    @Test("gives up waiting before the first hop, as it gives up a connection")
    func expiresUnbegun() async throws {
        let control = AttemptControl()
        control.suspend()
        let running = try await start([head], control: control)
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        clock.advance(by: .seconds(60))
        #expect(await running.outcome.value.mayRestart)
    }

    @Test(
        "gives up waiting between two hops, and what the first has sent may have arrived",
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

    @Test("keeps a connection for ever where the session says so")
    func keepsForEver() async throws {
        var other = self
        other.configuration.suspendedKeep = nil
        let hold = ScriptedTransport.Hold()
        let running = try await other.start([.wait(hold), head])
        running.control.suspend()
        hold.release()
        running.control.resume()
        #expect(await running.outcome.value.error == nil)
        #expect(clock.sleeps.events.isEmpty)
    }

    @Test("lets an attempt begin again whose connection was lost while it stood still, and no other")
    func lost() async throws {
        let lost = TransferError(.connectionLost, "Lost")
        let hold = ScriptedTransport.Hold()
        let running = try await start([.wait(hold), .fail(lost)])
        running.control.suspend()
        hold.release()
        running.control.resume()
        #expect(await running.outcome.value.mayRestart)
        let never = try await start([.fail(lost)])
        #expect(await !never.outcome.value.mayRestart)
    }
}

/// A transport whose every answer is a redirect, and that suspends the attempt as soon as it is there.
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
