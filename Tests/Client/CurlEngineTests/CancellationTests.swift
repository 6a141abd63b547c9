import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: cancellation closes the connection", .timeLimit(.hang))
struct CancellationTests {
    /// Starts `request`, waits until `isThere` returns true, cancels, and checks that the server saw the connection
    /// close.
    private func cancel(
        _ request: TransferRequest, on server: ScriptedServer, _ session: CurlSession,
        receiver: RecordingReceiver = RecordingReceiver(), when isThere: () async throws -> Void
    ) async throws {
        let task = Task { await session.perform(request, receiver: receiver) }
        defer { task.cancel() }
        try await isThere()
        task.cancel()
        #expect(await task.value.error == .canceled)
        // The request has no timeouts: only the cancel ends the connection.
        #expect(await server.ended.first(1) == [0])
    }

    @Test("before the start sends nothing")
    func beforeStart() async throws {
        try await withServer(greeting) { server, session in
            let request = try server.request()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await session.perform(request, receiver: RecordingReceiver())
            }
            #expect(await task.value.error == .canceled)
            // The first request that the server sees is that of another transfer.
            #expect(await session.perform(request).outcome.error == nil)
            #expect(server.requests.events.count == 1)
        }
    }

    @Test("while connecting")
    func connecting() async throws {
        try await withServer({ $0.waitForClose() }) { server, session in
            let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            try await cancel(request, on: server, session) { _ = await server.accepted.first(1) }
        }
    }

    @Test("while waiting for the response")
    func waiting() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            connection.waitForClose()
        }) { server, session in
            try await cancel(server.request(), on: server, session) { _ = await server.requests.first(1) }
        }
    }

    @Test("while content arrives")
    func receiving() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let receiver = RecordingReceiver()
            try await cancel(server.request(), on: server, session, receiver: receiver) {
                _ = await receiver.pieces.first(1)
            }
        }
    }

    @Test("while the receiver has paused the transfer")
    func paused() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
            while true { try connection.send([UInt8](repeating: 0, count: 65_536)) }
        }) { server, session in
            let receiver = RecordingReceiver(onPiece: { _ in .pause })
            try await cancel(server.request(), on: server, session, receiver: receiver) {
                _ = await receiver.pieces.first(1)
            }
        }
    }

    @Test("while the transfer is suspended")
    func suspended() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            connection.waitForClose()
        }) { server, session in
            let receiver = RecordingReceiver()
            try await cancel(server.request(), on: server, session, receiver: receiver) {
                _ = await server.requests.first(1)
                await receiver.control().suspend()
            }
        }
    }

    @Test("while sending to a peer that does not read")
    func sending() async throws {
        let gate = Gate()
        try await withServer({ connection in
            _ = try connection.readHead()
            gate.wait()
            connection.waitForClose()
        }) { server, session in
            let content = [UInt8](repeating: 7, count: 30_000_000)
            let receiver = RecordingReceiver()
            try await cancel(server.request(.post, body: .bytes(content)), on: server, session, receiver: receiver) {
                defer { gate.open() }
                let control = await receiver.control()
                try await until { control.progress.sent > 0 }
            }
        }
    }

    @Test("after the end has no effect")
    func afterTheEnd() async throws {
        try await withServer(greeting) { server, session in
            let request = try server.request()
            let task = Task { await session.perform(request, receiver: RecordingReceiver()) }
            #expect(await task.value.error == nil)
            task.cancel()
            #expect(await task.value.error == nil)
            #expect(await session.perform(request).outcome.metrics.connectionReused)
        }
    }

    @Test("does not affect other transfers of the session")
    func others() async throws {
        let gate = Gate()
        try await withServer({ connection in
            try connection.readRequest()
            if connection.number == 0 { return connection.waitForClose() }
            gate.wait()
            try connection.respond(body: "hello")
        }) { server, session in
            let request = try server.request()
            let first = Task { await session.perform(request, receiver: RecordingReceiver()) }
            _ = await server.requests.first(1)
            let second = Task { await session.perform(request) }
            _ = await server.requests.first(2)
            first.cancel()
            #expect(await first.value.error == .canceled)
            gate.open()
            #expect(await second.value.text == "hello")
        }
    }
}
