import Dispatch
import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: timeouts", .timeLimit(.hang))
struct TimeoutTests {
    /// The timeout of transfers for which nothing has to be done in time.
    private let short = Duration.seconds(1)
    /// Long enough for a scripted server to send its part on a busy machine.
    private let long = Duration.seconds(5)

    private let silence: ScriptedServer.Script = { connection in
        try connection.readRequest()
        connection.waitForClose()
    }

    @Test("a connection that is not made in time")
    func connect() async throws {
        // The TLS handshake never completes, so the transfer keeps connecting.
        try await withServer({ $0.waitForClose() }) { server, session in
            let timeouts = TransferTimeouts(connect: short)
            let url = try HTTPURL("https://127.0.0.1:\(server.port)/")
            let (outcome, _) = await session.perform(TransferRequest(url: url, timeouts: timeouts))
            #expect(outcome.error?.code == .timedOut)
            let message = "No connection to 127.0.0.1 port \(server.port) was made within timeouts.connect = "
            #expect(outcome.error?.message.hasPrefix(message) == true)
            #expect(outcome.error?.mayHaveArrived == false)
            #expect(!outcome.hasOnlyWaited)
            #expect(outcome.metrics.total >= short)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("a transfer that waits for a free connection, which says nothing about the peer")
    func waiting() async throws {
        try await withServer(silence, options: ConnectionOptions(maxConnectionsPerHost: 1)) { server, session in
            let parked = session.begin(try server.request(), receiver: RecordingReceiver())
            _ = await server.requests.first(1)
            let (outcome, _) = await session.perform(try server.request(timeouts: TransferTimeouts(total: short)))
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.error?.mayHaveArrived == false)
            #expect(outcome.hasOnlyWaited)
            parked.cancel()
            let canceled = await parked.value
            #expect(canceled.error == .canceled)
            #expect(!canceled.hasOnlyWaited)
        }
    }

    @Test("a response that does not begin")
    func idle() async throws {
        try await withServer(silence) { server, session in
            let timeouts = TransferTimeouts(idle: short)
            let (outcome, _) = await session.perform(try server.request(.post, timeouts: timeouts))
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.error?.mayHaveArrived == true)
            #expect(outcome.metrics.total >= short)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("a response that stops in the middle")
    func idleInContent() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let (outcome, text) = await session.perform(
                try server.request(timeouts: TransferTimeouts(idle: long)))
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.head?.status == 200)
            #expect(text == "hello")
        }
    }

    @Test("a response whose lines or coded bytes keep coming is not idle", arguments: SlowResponse.all)
    func slowResponse(response: SlowResponse) async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send(response.start)
            // Together longer than the timeout, each of them far shorter.
            for _ in 0..<6 {
                // The client sends nothing more: the time passes.
                guard try !connection.waitForBytes(patienceMilliseconds: 1_000) else { return }
                try connection.send(response.part)
            }
            try connection.send(response.end)
        }) { server, session in
            var request = try server.request(timeouts: TransferTimeouts(idle: long))
            request.acceptsCompression = true
            let (outcome, text) = await session.perform(request)
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 200)
            #expect(text == "hello")
            #expect(outcome.metrics.total >= long)
        }
    }

    @Test("a transfer that takes too long, even with continuous activity")
    func total() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while true { try connection.send("more and more ") }
        }) { server, session in
            let receiver = RecordingReceiver(onPiece: { _ in .more })
            let outcome = await session.perform(
                try server.request(timeouts: TransferTimeouts(total: short)),
                receiver: receiver)
            #expect(outcome.error?.code == .timedOut)
            #expect(outcome.metrics.total >= short)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("the idle timeout stops while the receiver is paused, and restarts afterwards")
    func idleWhilePaused() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let receiver = RecordingReceiver(onPiece: { _ in .pause })
            let request = try server.request(timeouts: TransferTimeouts(idle: long))
            let paused = Task {
                // The end counts as a piece too, so that the test fails instead of hanging if no piece arrives in time.
                defer { receiver.pieces.append(0) }
                return await session.perform(request, receiver: receiver)
            }
            _ = await receiver.pieces.first(1)
            #expect(receiver.text == "hello")
            // A transfer that is not paused reaches the timeout meanwhile.
            #expect(await session.perform(request).outcome.error?.code == .timedOut)
            #expect(server.ended.events.allSatisfy { $0 != 0 })
            await receiver.control().resumeReceiving()
            #expect(await paused.value.error?.code == .timedOut)
        }
    }

    @Test("timeouts that are not reached have no effect")
    func notReached() async throws {
        try await withServer(greeting) { server, session in
            let timeouts = TransferTimeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(600))
            let request = try server.request(timeouts: timeouts)
            for _ in 0..<100 { #expect(await session.perform(request).outcome.error == nil) }
        }
    }

    @Test(
        "data that arrived before a pause of the process is read before timeouts are checked",
        arguments: [TransferTimeouts(idle: .seconds(5)), TransferTimeouts(total: .seconds(5))])
    func standstill(timeouts: TransferTimeouts) async throws {
        let (isAsked, isBlocked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isAnswered = DispatchSemaphore(value: 0)
        try await withServer({ connection in
            if try connection.readRequest().line.hasPrefix("GET /block ") {
                isAsked.wait()
                try connection.respond(body: "hello")
            } else {
                isAsked.signal()
                isBlocked.wait()
                defer { isAnswered.signal() }
                try connection.respond(body: "answer")
            }
            connection.waitForClose()
        }) { server, session in
            let answered = RecordingReceiver()
            // Until the loop stands still, its own threads have to be as quick as this timeout.
            let waiting = try server.request(.post, timeouts: timeouts)
            // The callback for the head blocks the loop's thread for longer than the timeout of the other.
            let blocking = RecordingReceiver(onHead: { _ in
                isBlocked.signal()
                isAnswered.wait()
                // Never signalled: the time passes.
                #expect(DispatchSemaphore(value: 0).wait(timeout: .now() + 6) == .timedOut)
                return .proceed
            })
            async let blocked = session.perform(try server.request(.get, "/block"), receiver: blocking)
            let outcome = await session.perform(waiting, receiver: answered)
            // It may have ended before the server has read its head.
            isAsked.signal()
            #expect(outcome.error == nil)
            #expect(answered.text == "answer")
            #expect(try await blocked.error == nil)
        }
    }
}
