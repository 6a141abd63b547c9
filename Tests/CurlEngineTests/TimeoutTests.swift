import CurlEngine
import HTTPTypes
import Support
import Testing
import Transfer

@Suite("CurlEngine: limits of time", .timeLimit(.minutes(5)))
struct TimeoutTests {
    private let silence: ScriptedServer.Script = { connection in
        try connection.readRequest()
        connection.waitForClose()
    }

    @Test("a connection that is not made in time")
    func connect() async throws {
        // A TLS handshake that is never answered keeps the transfer connecting.
        try await withServer({ $0.waitForClose() }) { server, session in
            let timeouts = TransferTimeouts(connect: .milliseconds(60), idle: .seconds(30), total: .seconds(30))
            let url = try HTTPURL("https://127.0.0.1:\(server.port)/")
            let (outcome, _) = await session.perform(TransferRequest(url: url, timeouts: timeouts))
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.error?.mayHaveArrived == false)
            #expect(outcome.metrics.total >= .milliseconds(60) && outcome.metrics.total < .seconds(10))
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("an answer that does not begin")
    func idle() async throws {
        try await withServer(silence) { server, session in
            let timeouts = TransferTimeouts(connect: .seconds(30), idle: .milliseconds(60), total: .seconds(30))
            let (outcome, _) = await session.perform(try server.request(.post, timeouts: timeouts))
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.error?.mayHaveArrived == true)
            #expect(outcome.metrics.total >= .milliseconds(60) && outcome.metrics.total < .seconds(10))
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("an answer that stops in the middle")
    func idleInContent() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let (outcome, text) = await session.perform(
                try server.request(timeouts: TransferTimeouts(idle: .seconds(2))))
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.head?.status == 200)
            #expect(text == "hello")
        }
    }

    @Test("a transfer that takes too long, however busy it is")
    func total() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while true { try connection.send("more and more ") }
        }) { server, session in
            let receiver = RecordingReceiver(onPiece: { _ in .more })
            let outcome = await session.perform(
                try server.request(timeouts: TransferTimeouts(idle: .seconds(30), total: .milliseconds(100))),
                receiver: receiver)
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.metrics.total >= .milliseconds(100) && outcome.metrics.total < .seconds(10))
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("the idle limit stands still while the receiver has asked to wait, and begins again after it")
    func idleWhilePaused() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let receiver = RecordingReceiver(onPiece: { _ in .pause })
            let request = try server.request(timeouts: TransferTimeouts(idle: .seconds(2)))
            let paused = Task {
                // The end counts as a piece too: the test fails and does not hang when none comes in time.
                defer { receiver.pieces.append(0) }
                return await session.perform(request, receiver: receiver)
            }
            _ = await receiver.pieces.first(1)
            #expect(receiver.text == "hello")
            // One that is not paused sees the limit reached meanwhile.
            #expect(await session.perform(request).outcome.error?.code == .timedOut)
            #expect(server.ended.events.allSatisfy { $0 != 0 })
            await receiver.control().resumeReceiving()
            #expect(await paused.value.error?.code == .timedOut)
        }
    }

    @Test("limits that are not reached cost nothing and end nothing")
    func notReached() async throws {
        try await withServer(greeting) { server, session in
            let timeouts = TransferTimeouts(connect: .seconds(60), idle: .seconds(60), total: .seconds(60))
            let request = try server.request(timeouts: timeouts)
            for _ in 0..<100 { #expect(await session.perform(request).outcome.error == nil) }
        }
    }
}
