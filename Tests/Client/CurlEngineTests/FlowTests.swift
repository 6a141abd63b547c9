import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: back-pressure and suspension", .timeLimit(.hang))
struct FlowTests {
    @Test("a paused receiver gets nothing until it resumes, then everything")
    func pausedReceiver() async throws {
        let size = 8_000_000
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try connection.send(.noise(size))
        }) { server, session in
            // True for each pause, false for the end.
            let pauses = EventLog<Bool>()
            let receiver = RecordingReceiver(onPiece: { number in
                guard number % 100 == 0 else { return .more }
                pauses.append(true)
                return .pause
            })
            let request = try server.request()
            let running = Task {
                defer { pauses.append(false) }
                return await session.perform(request, receiver: receiver)
            }
            let control = await receiver.control()
            let paused = await receiver.pieces.first(1)
            try await session.exchangeGreetings()
            #expect(receiver.pieces.events == paused)
            #expect(server.ended.events.isEmpty)
            #expect(control.progress.received == Int64(paused[0]))
            #expect(control.progress.receiveTotal == Int64(size))
            var count = 1
            while await pauses.first(count)[count - 1] {
                control.resumeReceiving()
                count += 1
            }
            #expect(await running.value.error == nil)
            #expect(receiver.body == .noise(size))
        }
    }

    @Test("a receiver may pause at the last piece")
    func pausedAtTheEnd() async throws {
        try await withServer(greeting) { server, session in
            let receiver = RecordingReceiver(onPiece: { _ in .pause })
            let request = try server.request()
            #expect(await session.perform(request, receiver: receiver).error == nil)
            #expect(receiver.text == "hello")
        }
    }

    @Test("a source without available bytes is read again after it resumes")
    func drySource() async throws {
        try await withServer(greeting) { server, session in
            let source = ListSource(["ab", "…", "cd", "…", "ef"])
            let receiver = RecordingReceiver()
            let request = try server.request(.post, body: .source(source))
            async let running = session.perform(request, receiver: receiver)
            let control = await receiver.control()
            _ = await source.reads.first(2)
            try await session.exchangeGreetings()
            #expect(source.reads.events.count == 2)
            #expect(server.requests.events.isEmpty)
            #expect(control.progress.sent == 2)
            await source.refill()
            control.resumeSending()
            _ = await source.reads.first(4)
            #expect(control.progress.sent == 4)
            await source.refill()
            control.resumeSending()
            #expect(await running.error == nil)
            #expect(await server.requests.first(1)[0].body == Array("abcdef".utf8))
        }
    }

    @Test("a suspended download stops and continues when resumed")
    func suspended() async throws {
        let mayContinue = Gate()
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            mayContinue.wait()
            try connection.send("world")
        }) { server, session in
            let receiver = RecordingReceiver()
            async let running = session.perform(try server.request(), receiver: receiver)
            let control = await receiver.control()
            _ = await receiver.pieces.first(1)
            control.suspend()
            control.suspend()
            try await session.exchangeGreetings()
            mayContinue.open()
            #expect(await server.ended.first(1) == [0])
            try await session.exchangeGreetings()
            #expect(receiver.text == "hello")
            control.resume()
            let outcome = try await running
            #expect(outcome.error == nil)
            #expect(receiver.text == "helloworld")
        }
    }

    @Test("a suspended upload stops and continues when resumed")
    func suspendedUpload() async throws {
        let source = ListSource(["ab", "…", "cd"])
        try await withServer(greeting) { server, session in
            let receiver = RecordingReceiver()
            let request = try server.request(.post, body: .source(source))
            async let running = session.perform(request, receiver: receiver)
            let control = await receiver.control()
            _ = await source.reads.first(2)
            control.suspend()
            try await session.exchangeGreetings()
            await source.refill()
            control.resumeSending()
            try await session.exchangeGreetings()
            #expect(server.requests.events.isEmpty)
            control.resume()
            #expect(await running.error == nil)
            #expect(await server.requests.first(1)[0].body == Array("abcd".utf8))
        }
    }

    @Test("a response that ends the request ends the transfer, also while its source has nothing available")
    func refusedWhileDry() async throws {
        let source = ListSource(["ab", "…"])
        let mayRespond = Gate()
        try await withServer({ connection in
            _ = try connection.readHead()
            mayRespond.wait()
            try connection.respond("413 Content Too Large", body: "no")
            connection.waitForClose()
        }) { server, session in
            let request = try server.request(.post, body: .source(source))
            async let running = session.perform(request)
            _ = await source.reads.first(2)
            mayRespond.open()
            let (outcome, text) = await running
            #expect(outcome.head?.status == 413)
            #expect(outcome.error == nil)
            #expect(text == "no")
        }
    }

    @Test("a transfer suspended before anything was sent releases its connection and makes a new one later")
    func suspendedWhileConnecting() async throws {
        // The TLS handshake never completes, so the transfer keeps connecting.
        try await withServer({ $0.waitForClose() }) { server, session in
            let receiver = RecordingReceiver()
            let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            let task = Task { await session.perform(request, receiver: receiver) }
            let control = await receiver.control()
            _ = await server.accepted.first(1)
            control.suspend()
            #expect(await server.ended.first(1) == [0])
            control.resume()
            #expect(await server.accepted.first(2) == [0, 1])
            task.cancel()
            #expect(await task.value.error == .canceled)
            #expect(await server.ended.first(2) == [0, 1])
        }
    }

    @Test("a source resumes the transfer itself, and is ended at the end")
    func resumingSource() async throws {
        try await withServer(greeting) { server, session in
            let source = ListSource(["ab", "…", "cd"])
            let request = try server.request(.post, body: .source(source))
            async let running = session.perform(request)
            _ = await source.reads.first(2)
            #expect(source.uses.events == [.begin])
            await source.refillAndResume()
            #expect(await running.outcome.error == nil)
            #expect(source.uses.events == [.begin, .end])
            #expect(await server.requests.first(1)[0].body == Array("abcd".utf8))
        }
    }

    @Test("a source is started and ended once, even if content is resent or the connection released")
    func sourceUses() async throws {
        // Closes the first connection after its second request without a response.
        try await withServer({ connection in
            try connection.readRequest()
            try connection.respond()
            try connection.readRequest()
            if connection.number > 0 { try connection.respond() }
        }) { server, session in
            #expect(await session.perform(try server.request()).outcome.error == nil)
            let source = ListSource(["ab"], length: 2)
            let request = try server.request(.put, body: .source(source), mayResend: true)
            #expect(await session.perform(request).outcome.error == nil)
            #expect(source.uses.events == [.begin, .end])
        }
        // The TLS handshake never completes, so the transfer keeps connecting.
        try await withServer({ $0.waitForClose() }) { server, session in
            let (source, receiver) = (ListSource(["ab"]), RecordingReceiver())
            let request = TransferRequest(
                method: .post, url: try HTTPURL("https://127.0.0.1:\(server.port)/"), body: .source(source))
            let task = Task { await session.perform(request, receiver: receiver) }
            let control = await receiver.control()
            _ = await server.accepted.first(1)
            control.suspend()
            #expect(await source.uses.first(2) == [.begin, .end])
            control.resume()
            _ = await server.accepted.first(2)
            task.cancel()
            #expect(await task.value.error == .canceled)
            #expect(source.uses.events == [.begin, .end, .begin, .end])
            #expect(source.reads.events.isEmpty)
        }
    }

    @Test("the suspended time is measured and part of the total")
    func suspendedTime() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let receiver = RecordingReceiver()
            let task = Task { [request = try server.request()] in await session.perform(request, receiver: receiver) }
            _ = await receiver.pieces.first(1)
            let control = await receiver.control()
            let clock = ContinuousClock()
            let outside = clock.now
            control.suspend()
            // The suspension has begun once another transfer has completed.
            try await session.exchangeGreetings()
            let inside = clock.now
            try await session.exchangeGreetings()
            let least = clock.now - inside
            task.cancel()
            let metrics = await task.value.metrics
            #expect(metrics.suspended >= least && metrics.suspended <= clock.now - outside)
            #expect(metrics.suspended < metrics.total)
        }
        try await withServer(greeting) { server, session in
            let request = try server.request()
            #expect(await session.perform(request).outcome.metrics.suspended == .zero)
        }
    }

    @Test("a control cancels the transfer like its task does")
    func canceled() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            connection.waitForClose()
        }) { server, session in
            let receiver = RecordingReceiver()
            async let running = session.perform(try server.request(), receiver: receiver)
            _ = await server.requests.first(1)
            await receiver.control().cancel()
            let outcome = try await running
            #expect(outcome.error == .canceled)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("controls of an ended transfer have no effect")
    func lateControls() async throws {
        try await withServer(greeting) { server, session in
            let receiver = RecordingReceiver()
            _ = await session.perform(try server.request(), receiver: receiver)
            let control = await receiver.control()
            control.suspend()
            control.resume()
            control.resumeReceiving()
            control.resumeSending()
            try await session.exchangeGreetings(1)
            #expect(control.progress == TransferProgress(sendTotal: 0, received: 5, receiveTotal: 5))
        }
    }
}
