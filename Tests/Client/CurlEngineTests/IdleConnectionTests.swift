import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// A process that is short of descriptors closes its idle connections.
@Suite("CurlEngine: idle connections are closed", .timeLimit(.hang))
struct IdleConnectionTests {
    private let script: ScriptedServer.Script = { connection in
        while true {
            let request = try connection.readRequest()
            if request.line.hasPrefix("GET /wait ") { return connection.waitForClose() }
            try connection.respond(body: "hello")
        }
    }

    @Test("by time, when their session has nothing to do for so long; one that works keeps them")
    func idleTime() async throws {
        let server = try ScriptedServer(script)
        let engine = try CurlEngine(maxIdleTime: .milliseconds(300))
        let (idle, busy) = (engine.session(), engine.session())
        let waiting = Task { [request = try server.request(.get, "/wait")] in
            await busy.perform(request, receiver: RecordingReceiver())
        }
        _ = await server.requests.first(1)
        #expect(await busy.perform(try server.request()).text == "hello")
        #expect(await idle.perform(try server.request()).text == "hello")
        // The third connection is the idle session's.
        #expect(await server.ended.first(1) == [2])
        #expect(idle.counts.openConnections == 0)
        #expect(busy.counts.openConnections == 2)
        #expect(busy.counts.idleConnections == 1)
        // With its last transfer its time begins.
        waiting.cancel()
        #expect(await waiting.value.error == .canceled)
        #expect(await Set(server.ended.first(3)) == [0, 1, 2])
        #expect(busy.counts.openConnections == 0)
        let (outcome, text) = await idle.perform(try server.request())
        #expect(text == "hello")
        #expect(!outcome.metrics.connectionReused)
        server.stop()
        await engine.shutdown()
    }

    @Test("in sessions without transfers, which make new ones later")
    func idleSessions() async throws {
        let server = try ScriptedServer(script)
        let engine = try CurlEngine()
        let sessions = (0..<3).map { _ in engine.session() }
        for session in sessions { #expect(await session.perform(try server.request()).text == "hello") }
        #expect(sessions.allSatisfy { $0.counts.openConnections == 1 })
        engine.closeIdleConnections()
        _ = await server.ended.first(3)
        for session in sessions {
            #expect(session.counts.openConnections == 0)
            let (outcome, text) = await session.perform(try server.request())
            #expect(text == "hello")
            #expect(!outcome.metrics.connectionReused)
        }
        server.stop()
        await engine.shutdown()
    }

    @Test("in a busy session at the end of each transfer, without affecting running ones")
    func busySession() async throws {
        let server = try ScriptedServer(script)
        let engine = try CurlEngine()
        let session = engine.session()
        let receivers = (0..<4).map { _ in RecordingReceiver() }
        let request = try server.request(.get, "/wait")
        let waiting = receivers.map { receiver in Task { await session.perform(request, receiver: receiver) } }
        _ = await server.requests.first(4)
        engine.closeIdleConnections()
        for task in waiting.dropFirst() { task.cancel() }
        for task in waiting.dropFirst() { #expect(await task.value.error == .canceled) }
        #expect(await session.perform(try server.request()).text == "hello")
        #expect(session.counts.runningTransfers == 1)
        #expect(session.counts.openConnections <= 2)
        waiting[0].cancel()
        #expect(await waiting[0].value.error == .canceled)
        _ = await server.ended.first(5)
        #expect(session.counts.openConnections == 0)
        server.stop()
        await engine.shutdown()
    }
}
