import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks that an upstream that keeps the engine busy does not delay other sessions.
@Suite("CurlEngine: upstreams that would starve other sessions", .timeLimit(.hang), .serialized)
struct StarvationTests {
    /// The longest that another transfer or a cancel may take.
    private let patience = Duration.seconds(10)
    /// Longer than a flood may take, and shorter than a test may.
    private let endless = TransferTimeouts(idle: .seconds(400), total: .seconds(400))

    /// The kinds of floods of frames outside of any response.
    enum Flood: String, CaseIterable {
        case priority, emptyData, windowUpdate, ping, settings

        var frame: [UInt8] {
            switch self {
            case .priority: HTTP2Frames.frame(type: 2, stream: 1, [0, 0, 0, 0, 1])
            case .emptyData: HTTP2Frames.frame(type: 0, stream: 1)
            case .windowUpdate: HTTP2Frames.frame(type: 8, stream: 0, [0, 0, 0, 1])
            case .ping: HTTP2Frames.frame(type: 6, flags: 1, [0, 0, 0, 0, 0, 0, 0, 0])
            case .settings: HTTP2Frames.settings
            }
        }
    }

    /// Runs and cancels other transfers while `body` keeps the engine busy.
    private func othersRun(_ engine: CurlEngine, _ server: ScriptedServer) async throws {
        let other = engine.session()
        for _ in 0..<3 {
            let began = ContinuousClock.now
            #expect(await other.perform(try server.request()).text == "hello")
            Soak.expect(began.duration(to: .now), within: patience)
        }
        let receiver = RecordingReceiver()
        let request = try server.request(.get, "/wait")
        let waiting = Task { await other.perform(request, receiver: receiver) }
        _ = await receiver.started.first(1)
        let began = ContinuousClock.now
        waiting.cancel()
        #expect(await waiting.value.error == .canceled)
        Soak.expect(began.duration(to: .now), within: patience)
    }

    private let quiet: ScriptedServer.Script = { connection in
        while true {
            let request = try connection.readRequest()
            if request.line.hasPrefix("GET /wait ") { return connection.waitForClose() }
            try connection.respond(body: "hello")
        }
    }

    @Test(
        "a flood of HTTP/2 frames delays no other transfer, over TCP, TLS or a Unix socket, and can be canceled",
        arguments: Flood.allCases, HTTP2Link.available)
    func frames(flood: Flood, link: HTTP2Link) async throws {
        let piece = (0..<4_096).flatMap { _ in flood.frame }
        let hostile = try await HTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok)
            while true { try connection.send(piece) }
        }
        let server = try ScriptedServer(quiet)
        let engine = try CurlEngine()
        let session = engine.session(hostile.options)
        let request = TransferRequest(url: hostile.url, timeouts: endless)
        let tasks = (0..<4).map { _ in Task { await session.perform(request).outcome } }
        defer { for task in tasks { task.cancel() } }
        // Over TLS, the others wait until it is known whether they can share the first connection.
        _ = await hostile.scripted.accepted.first(link == .tls ? 1 : 4)
        try await othersRun(engine, server)
        // On a busy machine the engine may read the bytes faster than they are sent, so that no call of libcurl is long,
        // and the flood delays nothing and goes on. Only the soak, which has the machine, waits for its end.
        if !Soak.isWanted { for task in tasks { task.cancel() } }
        for task in tasks {
            let outcome = await task.value
            let code = outcome.error?.code
            switch flood {
            // The limit on replies to settings may apply first. Over TLS the transfers share a connection then, and
            // libcurl may report the end of one of them as that of its response: only the end itself is expected.
            case .settings where link == .tls: break
            case .settings: #expect(code != nil, "\(outcome)")
            case _ where Soak.isWanted: #expect(code == .connectionLost)
            default: #expect(code == .connectionLost || code == .canceled)
            }
        }
        hostile.stop()
        server.stop()
        await engine.shutdown()
    }

    /// Responds with chunks of one byte, without an end.
    ///
    /// - Parameter didSend: Called each time the socket has taken 10,000 chunks.
    private func oneByteChunks(didSend: @escaping @Sendable () -> Void = {}) -> ScriptedServer.Script {
        let chunks = Array(String(repeating: "1\r\nx\r\n", count: 10_000).utf8)
        return { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true {
                try connection.send(chunks)
                didSend()
            }
        }
    }

    @Test("content in chunks of one byte gets only its share of a turn")
    func oneByteChunks() async throws {
        let hostile = try ScriptedServer(oneByteChunks())
        let server = try ScriptedServer(quiet)
        let engine = try CurlEngine()
        let session = engine.session()
        let request = try hostile.request(timeouts: endless)
        let receivers = (0..<8).map { _ in CountingReceiver() }
        let tasks = receivers.map { receiver in Task { await session.perform(request, receiver: receiver) } }
        _ = await hostile.accepted.first(8)
        try await othersRun(engine, server)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value.error == .canceled) }
        hostile.stop()
        server.stop()
        await engine.shutdown()
    }

    @Test("a cancel is handled after at most two shares of content in chunks of one byte")
    func cancelBetweenTurns() async throws {
        let sent = EventLog<Void>()
        let hostile = try ScriptedServer(oneByteChunks { sent.append() })
        let server = try ScriptedServer(quiet)
        let engine = try CurlEngine()
        let (session, other) = (engine.session(), engine.session())
        // An upload that waits for content until it is canceled.
        let source = ListSource(["…"])
        let waiting = RecordingReceiver()
        let upload = try server.request(.post, "/wait", body: .source(source))
        let canceled = Task { await other.perform(upload, receiver: waiting) }
        let control = await waiting.control()
        _ = await source.reads.first(1)
        let end = Signal<Int>()
        let flooded = RecordingReceiver(onPiece: { number in
            if number == 0 { return .pause }
            if number == 1 { control.cancel() }
            if source.uses.events.last == .end { end.send(number) }
            return .more
        })
        let request = try hostile.request(timeouts: endless)
        let flood = Task { await session.perform(request, receiver: flooded) }
        _ = await flooded.pieces.first(1)
        // Once these chunks are in the socket, one turn could take them all.
        _ = await sent.first(1)
        await flooded.control().resumeReceiving()
        #expect(await canceled.value.error?.code == .canceled)
        #expect(await end.wait() <= 2 * 1_024)
        flood.cancel()
        #expect(await flood.value.error == .canceled)
        hostile.stop()
        server.stop()
        await engine.shutdown()
    }

    @Test("content in chunks of one byte does not delay the end of its own time")
    func total() async throws {
        try await withServer(oneByteChunks()) { server, session in
            let request = try server.request(timeouts: TransferTimeouts(total: .seconds(1)))
            let receivers = (0..<8).map { _ in CountingReceiver() }
            await withTaskGroup(of: TransferError?.self) { group in
                for receiver in receivers {
                    group.addTask { await session.perform(request, receiver: receiver).error }
                }
                for await error in group { #expect(error?.code == .timedOut) }
            }
        }
    }

    @Test("a large response arrives completely, however often it yields its turn")
    func largeResponse() async throws {
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
            for _ in 0..<64 { try connection.send(piece) }
        }) { server, session in
            let receiver = CountingReceiver()
            let outcome = await session.perform(try server.request(), receiver: receiver)
            #expect(outcome.error == nil)
            #expect(receiver.count == 64 << 20)
        }
    }
}
