import ErrandSupport
import HTTPSession
import Testing

@Suite("A controlled task", .timeLimit(.hang))
struct SteeringTests {
    /// More bytes than the buffers of both ends of a connection hold.
    private static let bodyBytes = 32 << 20

    /// Waits for another request on the shared event loop, which has then performed all earlier operations.
    private func untilLoopHasTurned(_ neighbor: Session) async throws {
        try await neighbor.head("")
    }

    @Test("is not read while suspended, which blocks the server, and completes after resuming")
    func backPressure() async throws {
        let (mayFill, mayFinish) = (Gate(), Gate())
        let filled = EventLog<Int>()
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: Self.bodyBytes)
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\nx")
            var sent = 1
            while true {
                mayFill.wait()
                let count = try connection.sendWithoutWaiting(body[sent...])
                sent += count
                filled.append(count)
                if count == 0 || sent == body.count { break }
            }
            mayFinish.wait()
            try connection.send(Array(body[sent...]))
        }
        let neighboring = try ScriptedServer { _ in ScriptedResponse() }
        defer {
            server.stop()
            neighboring.stop()
        }
        let neighbor = try Session.patient(neighboring.origin)
        let api = try Session.patient(server.origin) {
            $0.response.serializer = .raw
            $0.response.disposition.maxBodyBytes = Int64(Self.bodyBytes)
        }
        let task = try api.dataTask("big")
        task.resume()
        for await progress in task.progressUpdates where progress.received > 0 { break }
        task.suspend()
        #expect(task.state == .suspended)
        try await untilLoopHasTurned(neighbor)
        // A client that reads makes room in each round; one that does not leaves the buffers full.
        var rounds = 0
        repeat {
            rounds += 1
            mayFill.open()
            _ = await filled.first(rounds)
            try await untilLoopHasTurned(neighbor)
        } while filled.events.last != 0 && filled.events.reduce(1, +) < Self.bodyBytes
        #expect(filled.events.last == 0)
        #expect(task.progress.received < Self.bodyBytes)
        task.resume()
        mayFinish.open()
        #expect(try await task.response.body?.size == Int64(Self.bodyBytes))
        #expect(try await server.connectionsBefore() == 1)
    }

    @Test("gives up its connection after a long suspension, and restarts when resumed")
    func suspendedKeep() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            guard connection.number == 0 else { return try connection.respond("200 OK", [], body: "again") }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) {
            $0.response.serializer = .raw
            $0.suspendedKeep = .milliseconds(1)
        }
        let task = try api.dataTask("")
        task.resume()
        for await progress in task.progressUpdates where progress.received > 0 { break }
        task.suspend()
        #expect(await server.ended.first(1) == [0])
        #expect(task.state == .suspended)
        task.resume()
        guard case .bytes(let bytes)? = try await task.response.body?.content else {
            Issue.record("The content is not in memory")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "again")
        #expect(server.requests.events.map(\.connection) == [0, 1])
    }

    @Test("does not restart if its request must not be sent twice")
    func suspendedPost() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.suspendedKeep = .milliseconds(1) }
        let task = try api.dataTask("", method: .post, body: .text("once"))
        task.resume()
        _ = await server.requests.first(1)
        task.suspend()
        #expect(await server.ended.first(1) == [0])
        let error = await task.outcome.error
        #expect(error?.code == .connectionLost)
        #expect(error?.mayHaveArrived == true)
        #expect(server.requests.events.count == 1)
    }

    @Test("closes its connection at once when canceled, and reports the cancellation")
    func canceled() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.dataTask("")
        task.resume()
        _ = await server.requests.first(1)
        task.cancel()
        #expect(await server.ended.first(1) == [0])
        #expect(await task.outcome.error == .canceled)
        #expect(task.state == .completed)
        #expect(api.tasks.isEmpty)
    }

    @Test("closes its connection at once when canceled while suspended")
    func canceledWhileSuspended() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.dataTask("")
        task.resume()
        _ = await server.requests.first(1)
        task.suspend()
        task.cancel()
        #expect(await server.ended.first(1) == [0])
        #expect(await task.outcome.error == .canceled)
    }
}
