import ErrandCurlEngine
import ErrandLocking
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: HTTP/2", .timeLimit(.hang), .enabled(if: NginxServer.isInstalled))
struct HTTP2Tests {
    /// Runs `body` while this many transfers are in flight, and passes it the transfers and their heads.
    private func crowd(
        _ count: Int, of request: TransferRequest, _ session: CurlSession,
        _ body: ([Task<TransferOutcome, Never>], [ResponseHead]) async throws -> Void
    ) async throws {
        let receivers = (0..<count).map { _ in RecordingReceiver() }
        let tasks = receivers.map { session.begin(request, receiver: $0) }
        var heads: [ResponseHead] = []
        for receiver in receivers {
            heads += await receiver.heads.first(1)
            // The response has begun and does not end for a while.
            _ = await receiver.pieces.first(1)
        }
        try await body(tasks, heads)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value.error == .canceled) }
    }

    /// A receiver that counts the bytes, and may be full for a moment after each fourth piece.
    private final class HaltingReceiver: TransferReceiver {
        private let halts: Bool
        private let state = Mutex<(control: (any TransferControl)?, pieces: Int, bytes: Int)>((nil, 0, 0))

        init(halts: Bool) {
            self.halts = halts
        }

        var bytes: Int { state.withLock { $0.bytes } }

        func transferDidStart(_ control: any TransferControl) { state.withLock { $0.control = control } }

        func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

        func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
            let (control, isFull) = state.withLock { state in
                state.pieces += 1
                state.bytes += bytes.byteCount
                return (state.control, halts && state.pieces % 4 == 0)
            }
            guard isFull else { return .more }
            control?.resumeReceiving()
            return .pause
        }
    }

    @Test("many large responses at once arrive whole, although some receivers pause", arguments: [true, false])
    func large(isSecure: Bool) async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(server.options) { session in
            let request = try isSecure ? server.request("/large") : server.cleartextRequest("/large")
            let receivers = (0..<24).map { HaltingReceiver(halts: $0 < 12) }
            let tasks = receivers.map { receiver in Task { await session.perform(request, receiver: receiver) } }
            for task in tasks { #expect(await task.value.error == nil) }
            #expect(receivers.map(\.bytes) == [Int](repeating: 1 << 20, count: 24))
        }
    }

    /// Returns the numbers that the server has given to the connections of these responses.
    private func connections(_ heads: [ResponseHead]) throws -> Set<String> {
        let name = try #require(HTTPField.Name("X-Connection"))
        return Set(heads.compactMap { $0.headers[name] })
    }

    @Test("two hundred transfers at once share one connection", arguments: [HTTPVersionPreference.automatic, .http2])
    func shared(version: HTTPVersionPreference) async throws {
        let server = try await NginxServer.start(maxStreams: 256)
        defer { server.stop() }
        var options = try server.options
        options.version = version
        try await withSession(options) { session in
            // libcurl assumes a limit of 100 streams until the server's settings arrive, at the latest with the first
            // response. Until then it makes more connections for additional transfers.
            #expect(await session.perform(try server.request("/")).text == "hello")
            try await crowd(200, of: try server.request("/slow"), session) { tasks, heads in
                #expect(heads.allSatisfy { $0.version == "2" })
                #expect(try connections(heads).count == 1)
                #expect(session.counts.openConnections == 1)
                #expect(session.counts.runningTransfers == 200)
                // Half of the transfers are canceled; the others and the connection stay.
                for task in tasks.prefix(100) { task.cancel() }
                for task in tasks.prefix(100) { #expect(await task.value.error == .canceled) }
                let (outcome, text) = await session.perform(try server.request("/"))
                #expect(text == "hello")
                #expect(outcome.metrics.connectionReused)
                #expect(try connections(heads + [#require(outcome.head)]).count == 1)
                #expect(session.counts.openConnections == 1)
                #expect(session.counts.runningTransfers == 100)
            }
        }
    }

    @Test("the server's stream limit is respected: further transfers use more connections")
    func limited() async throws {
        let server = try await NginxServer.start(maxStreams: 128)
        defer { server.stop() }
        try await withSession(try server.options) { session in
            // The first response brings the server's settings; its limit is unknown before.
            #expect(await session.perform(try server.request("/")).text == "hello")
            try await crowd(200, of: try server.request("/slow"), session) { _, heads in
                let used = try connections(heads)
                // The second limit is the session's: 32 connections to a host.
                #expect(used.count >= 2 && used.count <= 32)
                #expect(session.counts.openConnections == used.count)
            }
        }
    }

    @Test("if no more connections are allowed, transfers wait for a stream")
    func waitingForStream() async throws {
        let server = try await NginxServer.start(maxStreams: 10)
        defer { server.stop() }
        var options = try server.options
        options.maxConnectionsPerHost = 1
        try await withSession(options) { session in
            let request = try server.request("/")
            #expect(await session.perform(request).text == "hello")
            try await crowd(10, of: try server.request("/slow"), session) { tasks, _ in
                let waiting = Task { await session.perform(request) }
                tasks[0].cancel()
                let (outcome, text) = await waiting.value
                #expect(outcome.error == nil)
                #expect(text == "hello")
                #expect(session.counts.openConnections == 1)
            }
        }
    }

    @Test("if the port has no listener, all transfers that wait for one connection fail at once")
    func refused() async throws {
        let server = try ScriptedServer(keepsPort: true, greeting)
        defer { withExtendedLifetime(server) {} }
        server.stop()
        _ = await server.closed.first(1)
        try await withSession { session in
            let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            let codes = await withTaskGroup(of: TransferError.Code?.self) { group in
                for _ in 0..<200 { group.addTask { await session.perform(request).outcome.error?.code } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == Array(repeating: .cannotConnect, count: 200))
            #expect(session.counts.openConnections == 0)
        }
    }

    @Test("the connect timeout applies to all transfers that wait for one connection")
    func unanswered() async throws {
        // The TLS handshake never completes, so the first transfer keeps connecting.
        try await withServer({ $0.waitForClose() }) { server, session in
            let request = TransferRequest(
                url: try HTTPURL("https://127.0.0.1:\(server.port)/"),
                timeouts: TransferTimeouts(connect: .seconds(4)))
            let outcomes = await withTaskGroup(of: TransferOutcome.self) { group in
                for _ in 0..<200 { group.addTask { await session.perform(request).outcome } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.allSatisfy { $0.error?.code == .timedOut && $0.error?.mayHaveArrived == false })
            // One after the other would take 800 seconds, longer than a test may.
        }
    }

    @Test("without TLS no transfer waits for the first response, which may take long")
    func cleartextNeverWaits() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            connection.waitForClose()
        }) { server, session in
            let request = try server.request(timeouts: .patient)
            let tasks = (0..<10).map { _ in Task { await session.perform(request, receiver: RecordingReceiver()) } }
            #expect(await Set(server.requests.first(10).map(\.connection)).count == 10)
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.error == .canceled) }
        }
    }

    @Test("content that the server refuses to read gets its response, and other transfers of the connection go on")
    func unread() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(try server.options) { session in
            #expect(await session.perform(try server.request("/")).text == "hello")
            try await crowd(1, of: try server.request("/slow"), session) { _, _ in
                for length in [2_000, 20_000, 2_000_000] {
                    var request = try server.request("/limited")
                    request.method = .post
                    request.body = .bytes([UInt8](repeating: 120, count: length))
                    for _ in 0..<10 {
                        let (outcome, text) = await session.perform(request)
                        #expect(outcome.error == nil)
                        #expect(outcome.head?.status == 413)
                        #expect(text.contains("413 Request Entity Too Large"))
                    }
                }
            }
        }
    }

    @Test("HTTP/2 without TLS works too, concurrently and in succession")
    func cleartext() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(try server.options) { session in
            let (clear, secure) = (try server.cleartextRequest("/"), try server.request("/"))
            for _ in 0..<5 {
                async let one = session.perform(clear)
                async let other = session.perform(secure)
                for (outcome, text) in await [one, other] {
                    #expect(outcome.error == nil)
                    #expect(outcome.head?.version == "2")
                    #expect(text == "hello")
                }
            }
        }
    }

    @Test("canceling ends only its own stream, and the connection stays")
    func canceled() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(try server.options) { session in
            let (slow, fast) = (try server.request("/slow"), try server.request("/"))
            let first = RecordingReceiver()
            let second = RecordingReceiver()
            let canceled = session.begin(slow, receiver: first)
            let other = session.begin(slow, receiver: second)
            _ = await (first.pieces.first(1), second.pieces.first(1))
            canceled.cancel()
            #expect(await canceled.value.error == .canceled)
            let (outcome, text) = await session.perform(fast)
            #expect(text == "hello")
            #expect(outcome.metrics.connectionReused)
            #expect(session.counts.openConnections == 1)
            other.cancel()
            #expect(await other.value.error == .canceled)
        }
    }

    @Test(
        "a head that comes while its transfer is suspended is received when that is resumed",
        .enabled(if: SecureRelay.isInstalled))
    func headWhileSuspended() async throws {
        let requests = EventLog<Int>()
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            requests.append(1)
            try connection.waitForHTTP2Request()
            try connection.send(HTTP2Frames.okWithLength(5) + HTTP2Frames.data("hello", isLast: true))
            try connection.send(HTTP2Frames.response("other", stream: 3))
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            let held = RecordingReceiver()
            let task = Task { await session.perform(request, receiver: held) }
            let control = await held.control()
            _ = await requests.first(1)
            control.suspend()
            // The connection is read for the other transfer.
            #expect(await session.perform(request).text == "other")
            #expect(held.heads.events.isEmpty)
            control.resume()
            #expect(await task.value.error == nil)
            #expect(held.heads.events.map(\.status) == [200])
            #expect(held.text == "hello")
        }
    }

    @Test("a stream that is paused or suspended does not delay the others")
    func waiting() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(try server.options) { session in
            let (slow, fast) = (try server.request("/slow"), try server.request("/"))
            let (full, held) = (RecordingReceiver(onPiece: { _ in .pause }), RecordingReceiver())
            let tasks = [full, held].map { receiver in Task { await session.perform(slow, receiver: receiver) } }
            _ = await (full.pieces.first(1), held.pieces.first(1))
            await held.control().suspend()
            for _ in 0..<20 { #expect(await session.perform(fast).text == "hello") }
            #expect(full.pieces.events.count == 1)
            await full.control().resumeReceiving()
            await held.control().resume()
            _ = await (full.pieces.first(2), held.pieces.first(2))
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.error == .canceled) }
        }
    }

    @Test("timeouts end a stream")
    func idle() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(try server.options) { session in
            let slow = try server.request("/slow", timeouts: TransferTimeouts(total: .milliseconds(100)))
            #expect(await session.perform(slow).outcome.error?.code == .timedOut)
            #expect(await session.perform(try server.request("/")).text == "hello")
        }
    }
}
