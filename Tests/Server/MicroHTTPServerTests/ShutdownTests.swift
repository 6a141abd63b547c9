import ErrandHTTPServer
import ErrandLocking
import ErrandLogs
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Shutdown", .timeLimit(.hang))
struct ShutdownTests {
    private func server(_ routes: [Route]) async throws -> TestServer {
        try await TestServer.start(handler: try Router(routes: routes))
    }

    /// Returns a route that responds when it is released.
    private func slow(_ started: Signal<Void>, until release: Signal<Void>) -> Route {
        Route(.get, "/slow") { _, _ in
            .deferred {
                started.send()
                await release.wait()
                return .text("slow")
            }
        }
    }

    @Test("a draining server finishes its requests, closes other connections and stops listening")
    func drains() async throws {
        let started = Signal<Void>()
        let release = Signal<Void>()
        let server = try await server([slow(started, until: release)])
        let idle = try server.client()
        let busy = try server.client()
        try await busy.send(get("/slow"))
        await started.wait()
        async let shutdown: Void = server.server.shutdown(drain: .seconds(600))
        defer { release.send() }
        #expect(try await idle.untilClosed().isEmpty)
        #expect(throws: RawHTTPClient.Failure.self) { try server.client() }
        release.send()
        let response = try await busy.response()
        #expect(response.text == "slow")
        #expect(response["Connection"] == "close")
        await shutdown
        #expect(server.server.statistics.connections == 0)
    }

    @Test("a response in progress is finished, and its connection is then closed instead of kept")
    func finishesStreams() async throws {
        let release = Signal<Void>()
        let server = try await server([
            Route(.get, "/stream") { _, _ in
                let parts = Mutex<[[UInt8]]>([Array("one".utf8), Array("two".utf8)])
                return .immediate(
                    ServerResponse(
                        status: .ok,
                        body: .stream(
                            ResponseStream {
                                let (part, isLast) = parts.withLock { parts in
                                    (parts.isEmpty ? nil : parts.removeFirst(), parts.isEmpty)
                                }
                                if isLast { await release.wait() }
                                return part
                            })))
            }
        ])
        // Accepted before the other, whose response shows that both are.
        let idle = try server.client()
        let client = try server.client()
        try await client.send(get("/stream"))
        let head = try await client.bytes(20)
        async let shutdown: Void = server.server.shutdown(drain: .seconds(600))
        defer { release.send() }
        #expect(try await idle.untilClosed().isEmpty)
        release.send()
        let text = String(decoding: try await head + client.untilClosed(), as: UTF8.self)
        #expect(!text.contains("Connection: close"))
        #expect(text.hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
        await shutdown
    }

    @Test("a handler that does not finish in time is canceled, and its connection closed")
    func cancels() async throws {
        let started = Signal<Void>()
        let canceled = Signal<Void>()
        let reading = ReadingRoute()
        let server = try await server([
            Route(.get, "/wait") { _, _ in
                .deferred {
                    started.send()
                    await untilCanceled()
                    canceled.send()
                    return .text("")
                }
            },
            reading.route("/read"),
        ])
        let waiting = try server.client()
        try await waiting.send(get("/wait"))
        let sending = try server.client()
        try await sending.send(get("/read", "Content-Length: 10\r\n", method: "POST") + "a")
        await started.wait()
        await reading.begun.wait()
        await server.server.shutdown(drain: .zero)
        await canceled.wait()
        #expect(await reading.failure.wait() == .serverStopping)
        #expect(try await waiting.untilClosedOrReset().isEmpty)
        #expect(try await sending.untilClosedOrReset().isEmpty)
        #expect(server.server.statistics.connections == 0)
        await server.waitUntilIdle()
    }

    @Test("endless streams are aborted")
    func cutsStreams() async throws {
        let server = try await server([
            Route(.get, "/endless") { _, _ in
                .immediate(ServerResponse(status: .ok, body: .stream(ResponseStream { Array("again".utf8) })))
            },
            Route(.get, "/silent") { _, _ in
                .immediate(
                    ServerResponse(
                        status: .ok,
                        body: .stream(
                            ResponseStream {
                                await untilCanceled()
                                return nil
                            })))
            },
        ])
        let endless = try server.client()
        try await endless.send(get("/endless"))
        let silent = try server.client()
        try await silent.send(get("/silent"))
        // A hundred parts, each with its own task.
        _ = try await endless.bytes(1000)
        _ = try await silent.bytes(10)
        await server.server.shutdown(drain: .milliseconds(50))
        _ = try await endless.untilClosedOrReset()
        _ = try await silent.untilClosedOrReset()
        #expect(server.server.statistics.connections == 0)
        await server.waitUntilIdle()
    }

    @Test("a second shutdown returns when the server has stopped, as the first does")
    func concurrently() async throws {
        let (started, release) = (Signal<Void>(), Signal<Void>())
        let returned = EventLog<Int>()
        let server = try await server([slow(started, until: release)])
        let client = try server.client()
        try await client.send(get("/slow"))
        await started.wait()
        let executor = StepExecutor()
        let calls = (1...2).map { number in
            Task(executorPreference: executor) {
                await server.server.shutdown(drain: .seconds(600))
                returned.append(number)
            }
        }
        // Now both have returned or wait.
        executor.runAll()
        #expect(returned.events.isEmpty)
        release.send()
        #expect(try await client.response().text == "slow")
        executor.runFreely()
        for call in calls { await call.value }
        #expect(returned.events.count == 2)
        #expect(server.server.statistics.connections == 0)
    }

    @Test("shutdown works once, and has no effect before the start")
    func twice() async throws {
        let server = try await server([])
        await server.server.shutdown(drain: .zero)
        await server.server.shutdown(drain: .zero)
        let unstarted = MicroHTTPServer(
            configuration: ServerConfiguration(), handler: try Router(routes: []),
            logger: .discarding)
        await unstarted.shutdown(drain: .seconds(60))
        #expect(unstarted.statistics.requests == 0)
    }

    // MARK: Running

    /// Returns a server that does not listen yet.
    private func unstarted(_ routes: [Route]) throws -> MicroHTTPServer {
        MicroHTTPServer(configuration: .patient, handler: try Router(routes: routes), logger: .discarding)
    }

    @Test("a server that runs serves until its task is canceled, and then finishes its requests")
    func runs() async throws {
        let (started, release) = (Signal<Void>(), Signal<Void>())
        defer { release.send() }
        let server = try unstarted([slow(started, until: release)])
        let run = Task { try await server.run(drain: .seconds(600)) }
        try await until { await !server.addresses.isEmpty }
        let port = await server.addresses.first?.port ?? 0
        let idle = try RawHTTPClient(port: port)
        let busy = try RawHTTPClient(port: port)
        try await busy.send(get("/slow"))
        await started.wait()
        run.cancel()
        #expect(try await idle.untilClosed().isEmpty)
        release.send()
        let response = try await busy.response()
        #expect(response.text == "slow")
        #expect(response["Connection"] == "close")
        try await run.value
        #expect(server.statistics.connections == 0)
    }

    @Test("a server that runs returns when another call has stopped it, and cannot run again")
    func runsUntilShutdown() async throws {
        let server = try unstarted([])
        let run = Task { try await server.run() }
        try await until { await !server.addresses.isEmpty }
        await server.shutdown(drain: .zero)
        try await run.value
        let error = await #expect(throws: MicroHTTPServerError.self) { try await server.run() }
        #expect(error?.code == .alreadyStarted)
    }
}
