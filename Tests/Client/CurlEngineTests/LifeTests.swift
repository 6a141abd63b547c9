import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: ends of sessions and engines", .timeLimit(.hang))
struct LifeTests {
    private let silence: ScriptedServer.Script = { connection in
        try connection.readRequest()
        connection.waitForClose()
    }

    @Test("a shutdown ends running transfers and refuses later ones")
    func shutdown() async throws {
        let server = try ScriptedServer(silence)
        defer { server.stop() }
        let engine = try CurlEngine()
        let session = engine.session()
        let request = try server.request()
        let running = (0..<10).map { _ in Task { await session.perform(request, receiver: RecordingReceiver()) } }
        _ = await server.requests.first(10)
        await engine.shutdown()
        for task in running { #expect(await task.value.error?.code == .sessionClosed) }
        _ = await server.ended.first(10)
        #expect(await session.perform(request).outcome.error?.code == .sessionClosed)
        #expect(await engine.session().perform(request).outcome.error?.code == .sessionClosed)
        await session.invalidate()
    }

    @Test("a shutdown may be requested several times, concurrently and later")
    func shutdownTwice() async throws {
        let engine = try CurlEngine()
        async let one: Void = engine.shutdown()
        async let other: Void = engine.shutdown()
        _ = await (one, other)
        await engine.shutdown()
    }

    @Test("transfers that start during the shutdown all end")
    func race() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        for _ in 0..<10 {
            let engine = try CurlEngine()
            let session = engine.session()
            let request = try server.request()
            await withTaskGroup(of: TransferError.Code?.self) { group in
                for _ in 0..<50 { group.addTask { await session.perform(request).outcome.error?.code } }
                group.addTask {
                    await engine.shutdown()
                    return nil
                }
                for await code in group { #expect(code == nil || code == .sessionClosed) }
            }
        }
    }

    @Test("an invalidated session ends its transfers and closes its connections without affecting others")
    func invalidate() async throws {
        let server = try ScriptedServer({ connection in
            while true {
                let request = try connection.readRequest()
                if request.line.contains("/park") { return connection.waitForClose() }
                try connection.respond(body: "hello")
            }
        })
        defer { server.stop() }
        let engine = try CurlEngine()
        let (one, other) = (engine.session(), engine.session())
        let parked = try server.request(.get, "/park")
        let task = Task { await one.perform(parked, receiver: RecordingReceiver()) }
        _ = await server.requests.first(1)
        let request = try server.request()
        #expect(await one.perform(request).text == "hello")
        #expect(await other.perform(request).text == "hello")
        await one.invalidate()
        #expect(await task.value.error?.code == .sessionClosed)
        #expect(Set(await server.ended.first(2)) == [0, 1])
        #expect(await one.perform(request).outcome.error?.code == .sessionClosed)
        #expect(await other.perform(request).text == "hello")
        #expect(one.counts.openConnections == 0)
        #expect(other.counts.openConnections == 1)
        await one.invalidate()
        await engine.shutdown()
    }

    @Test("a session without references closes its connections")
    func dropped() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        let engine = try CurlEngine()
        #expect(await engine.session().perform(try server.request()).text == "hello")
        #expect(await server.ended.first(1) == [0])
        await engine.shutdown()
    }
}
