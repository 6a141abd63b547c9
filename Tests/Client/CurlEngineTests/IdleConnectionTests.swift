import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Glibc
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

    // MARK: Without descriptors

    @Test("in all sessions when a connection gets no descriptor, so that the next attempt succeeds")
    func noDescriptor() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let server = try ScriptedServer(greeting)
            let engine = try CurlEngine(maxIdleTime: .seconds(600))
            let request = try server.request()
            let idle = try await Self.idleSessions(of: engine, at: server)
            let (error, left, text) = try await Self.withoutDescriptors {
                var sessions: [CurlSession] = []
                var error: TransferError?
                // Again if the runtime has closed a file of its own in between.
                repeat {
                    let session = engine.session()
                    sessions.append(session)
                    error = await session.perform(request).outcome.error
                } while error == nil
                let left = idle.map(\.counts.openConnections)
                let text = await sessions[sessions.count - 1].perform(request).text
                return (error, left, text)
            }
            let reason = "Could not connect to 127.0.0.1 port \(server.port): this process has no free descriptor"
            #expect(error?.code == .cannotConnect)
            #expect(error?.isLocal == true)
            #expect(error?.message.hasPrefix(reason) == true)
            #expect(left == [0, 0, 0])
            #expect(text == "hello")
            server.stop()
            await engine.shutdown()
        }
    }

    @Test("in all sessions when a name lookup gets no descriptors")
    func noDescriptorsForLookup() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let server = try ScriptedServer(greeting)
            let engine = try CurlEngine(maxIdleTime: .seconds(600))
            let request = TransferRequest(url: try HTTPURL("http://nowhere.test/"))
            let idle = try await Self.idleSessions(of: engine, at: server)
            let (error, left) = try await Self.withoutDescriptors {
                let session = engine.session()
                let error = await session.perform(request).outcome.error
                return (error, idle.map(\.counts.openConnections))
            }
            #expect(error?.code == .cannotFindHost)
            #expect(error?.isLocal == true)
            #expect(error?.message.contains("too few free descriptors") == true)
            #expect(left == [0, 0, 0])
            server.stop()
            await engine.shutdown()
        }
    }

    /// Returns three sessions, each with an idle connection.
    private static func idleSessions(of engine: CurlEngine, at server: ScriptedServer) async throws -> [CurlSession] {
        let sessions = (0..<3).map { _ in engine.session() }
        for session in sessions {
            let text = await session.perform(try server.request()).text
            #expect(text == "hello")
        }
        #expect(sessions.map(\.counts.openConnections) == [1, 1, 1])
        return sessions
    }

    /// Runs `body` while no descriptor of this process is free but those of `DescriptorReserve`.
    private static func withoutDescriptors<Result>(_ body: () async throws -> Result) async throws -> Result {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(next >= 0)
        close(next)
        var low = limit
        // The reserve consists of the last eight.
        low.rlim_cur = rlim_t(next) + 8
        try #require(setrlimit(resource, &low) == 0)
        // The test's own process needs descriptors to report.
        defer { setrlimit(resource, &limit) }
        return try await body()
    }
}
