import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("The further requests of an attempt", .timeLimit(.hang))
struct RunningAttemptTests {
    private let clock = ManualClock()

    /// A session whose responses have five bytes.
    private func session() throws -> Session {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        configuration.suspendedKeep = .seconds(60)
        let transport = ScriptedTransport { _ in [.head(ResponseHead(status: 200)), .bytes(Array("hello".utf8))] }
        return Session(configuration, transport: transport, clock: clock)
    }

    @Test("are suspended, resumed and canceled with it, also if they begin later")
    func control() async throws {
        let session = try session()
        let prepared = try session.prepare(TaskRequest())
        let control = AttemptControl()
        control.suspend()
        let first = AttemptControl()
        let attempt = RunningAttempt(in: session, control: control)
        let outcome = Task { await attempt.run(prepared, sink: MemorySink(), control: first) }
        #expect(await clock.sleeps.first(1) == [.seconds(60)])
        #expect(first.isSuspended)
        control.resume()
        #expect(await outcome.value.error == nil)
        #expect(!first.isSuspended)
        control.cancel()
        let late = await attempt.run(prepared, sink: MemorySink(), control: AttemptControl())
        #expect(late.error?.code == .canceled)
    }

    @Test("begin also after their session was closed to new tasks, as long as their attempt runs")
    func closing() async throws {
        let gate = ScriptedTransport.Gate()
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        let transport = ScriptedTransport { request in
            request.url.path == "/first"
                ? [.wait(gate), .head(ResponseHead(status: 200))] : [.head(ResponseHead(status: 200))]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let control = AttemptControl()
        let first = try session.prepare(TaskRequest(path: "first"))
        let further = try session.prepare(TaskRequest(path: "further"))
        let outcome = Task { await session.run(first, sink: MemorySink(), control: control) }
        try await until { transport.requests.count == 1 }
        let end = Task { await session.invalidate(cancelingTasks: false) }
        try await until {
            let accepted = try? session.task(TaskRequest())
            accepted?.cancel()
            return accepted == nil
        }
        let attempt = RunningAttempt(in: session, control: control)
        #expect(await attempt.run(further, sink: MemorySink(), control: AttemptControl()).error == nil)
        gate.open()
        #expect(await outcome.value.error == nil)
        await end.value
        let late = await attempt.run(further, sink: MemorySink(), control: AttemptControl())
        #expect(late.error?.code == .sessionClosed)
    }

    @Test("are counted in its progress")
    func progress() async throws {
        let session = try session()
        let prepared = try session.prepare(TaskRequest())
        let control = AttemptControl()
        let attempt = RunningAttempt(in: session, control: control)
        for _ in 0..<2 { _ = await attempt.run(prepared, sink: MemorySink(), control: AttemptControl()) }
        #expect(control.progress.received == 10)
    }
}
