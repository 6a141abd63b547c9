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

    private let parking: ScriptedServer.Script = { connection in
        while true {
            let request = try connection.readRequest()
            if request.line.contains("/park") { return connection.waitForClose() }
            try connection.respond(body: "hello")
        }
    }

    /// A receiver that holds up the engine's thread when its transfer starts.
    private final class HoldingReceiver: TransferReceiver {
        let isHeld = EventLog<Void>()
        private let gate = Gate()

        func transferDidStart(_ control: any TransferControl) {
            isHeld.append()
            gate.wait()
        }

        func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

        func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision { .more }

        func release() {
            gate.open()
        }
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
        for task in running {
            let error = await task.value.error
            #expect(error?.code == .sessionClosed)
            #expect(error?.mayHaveArrived == true)
        }
        _ = await server.ended.first(10)
        #expect(await session.perform(request).outcome.error == TransferError(.sessionClosed, "The session is closed"))
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
        let server = try ScriptedServer(parking)
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
        let error = await task.value.error
        #expect(error?.code == .sessionClosed)
        #expect(error?.mayHaveArrived == true)
        #expect(Set(await server.ended.first(2)) == [0, 1])
        #expect(await one.perform(request).outcome.error?.code == .sessionClosed)
        #expect(await other.perform(request).text == "hello")
        #expect(one.counts.openConnections == 0)
        #expect(other.counts.openConnections == 1)
        await one.invalidate()
        await engine.shutdown()
    }

    @Test("an invalidation returns with all connections closed, also in a turn that has worked for them before")
    func invalidateAfterWork() async throws {
        let server = try ScriptedServer(parking)
        defer { server.stop() }
        let (park, plain) = (try server.request(.get, "/park"), try server.request())
        let engine = try CurlEngine()
        let (one, other) = (engine.session(), engine.session())
        let receiver = RecordingReceiver()
        let parked = one.begin(park, receiver: receiver)
        _ = await server.requests.first(1)
        #expect(await one.perform(plain).text == "hello")
        #expect(one.counts.openConnections == 2)
        let (first, second) = (HoldingReceiver(), HoldingReceiver())
        let executor = StepExecutor()
        let before = Task(executorPreference: executor) { await other.perform(plain, receiver: first) }
        executor.runAll()
        _ = await first.isHeld.first(1)
        // The next turn takes these commands together, and is held by the last of them.
        await receiver.control().suspend()
        let invalidation = Task(executorPreference: executor) { await one.invalidate() }
        executor.runAll()
        let after = Task(executorPreference: executor) { await other.perform(plain, receiver: second) }
        executor.runAll()
        first.release()
        _ = await second.isHeld.first(1)
        executor.runFreely()
        await invalidation.value
        #expect(one.counts.openConnections == 0)
        second.release()
        #expect(await before.value.error == nil)
        #expect(await after.value.error == nil)
        #expect(await parked.value.error?.code == .sessionClosed)
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
