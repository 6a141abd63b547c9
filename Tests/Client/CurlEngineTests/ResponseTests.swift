import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: responses of servers", .timeLimit(.hang))
struct ResponseTests {
    /// Responds with `wire` and closes.
    private func answer(_ wire: String, to method: HTTPRequest.Method = .get) async throws -> (TransferOutcome, String)
    {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send(wire)
        }) { server, session in
            await session.perform(try server.request(method))
        }
    }

    @Test(
        "content is received in every framing",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.0 200 OK\r\n\r\nhello",
            "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
            "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        ])
    func framing(wire: String) async throws {
        let (outcome, text) = try await answer(wire)
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == 200)
        #expect(outcome.head?.headers[try #require(HTTPField.Name("X-Sum"))] == nil)
        #expect(outcome.head?.headers[try #require(HTTPField.Name("Link"))] == nil)
        #expect(text == "hello")
        #expect(outcome.metrics.bytesReceived > 0)
        #expect(outcome.metrics.firstByte != nil)
    }

    @Test("responses without content need no framing", arguments: ["204 No Content", "304 Not Modified"])
    func noContent(status: String) async throws {
        try await withServer({ connection in
            while true {
                try connection.readRequest()
                try connection.send("HTTP/1.1 \(status)\r\nETag: \"x\"\r\n\r\n")
            }
        }) { server, session in
            for _ in 0..<2 {
                let (outcome, text) = await session.perform(try server.request())
                #expect(outcome.error == nil)
                #expect(outcome.head?.status == Int(status.prefix(3)))
                #expect(text.isEmpty)
            }
            #expect(try await server.connectionsBefore() == 1)
        }
    }

    @Test("the head is reported as received: reason, version, order, repeated and odd fields")
    func head() async throws {
        let (outcome, _) = try await answer(
            "HTTP/1.1 299 Fair enough\r\nSet-Cookie: a=1\r\nX-Fold: one\r\n  two\r\nSet-Cookie: b=2\r\nBad Name: x\r\n"
                + "X-Text: gr\u{FC}\u{DF}e\r\nContent-Length: 0\r\n\r\n")
        let head = try #require(outcome.head)
        #expect(head.status == 299)
        #expect(head.reason == "Fair enough")
        #expect(head.version == "1.1")
        #expect(
            head.headers.map { "\($0.name.rawName)=\($0.value)" } == [
                "Set-Cookie=a=1", "X-Fold=one two", "Set-Cookie=b=2", "X-Text=grüße", "Content-Length=0",
            ])
    }

    @Test("redirects are not followed")
    func redirect() async throws {
        let (outcome, _) = try await answer("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == 302)
        #expect(outcome.head?.headers[.location] == "/x")
    }

    @Test(
        "a truncated response is a lost connection, and its request may have arrived",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        ])
    func cutOff(wire: String) async throws {
        let (outcome, _) = try await answer(wire, to: .post)
        #expect(outcome.error?.code == .connectionLost)
        #expect(outcome.error?.mayHaveArrived == true)
    }

    @Test("a reset is a lost connection")
    func reset() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            connection.resetAtEnd()
        }) { server, session in
            let (outcome, _) = await session.perform(try server.request(.post))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == true)
        }
    }

    @Test("malformed chunks are a lost connection")
    func badChunks() async throws {
        let (outcome, _) = try await answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        #expect(outcome.error?.code == .connectionLost)
    }

    @Test(
        "a head that is too large ends the transfer",
        arguments: [("X-Many: 1\r\n", 1_100), ("X-Long: \(String(repeating: "x", count: 8_000))\r\n", 40)])
    func flood(field: String, count: Int) async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n")
            for _ in 0..<count { try connection.send(field) }
            connection.waitForClose()
        }) { server, session in
            let (outcome, _) = await session.perform(try server.request())
            #expect(outcome.error?.code == .cannotParseResponse)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("content that cannot be decoded is an error")
    func badCoding() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.respond("200 OK", ["Content-Encoding: gzip"], body: "not gzip at all")
        }) { server, session in
            var request = try server.request()
            request.acceptsCompression = true
            #expect(await session.perform(request).outcome.error?.code == .badContentEncoding)
        }
    }

    @Test("a receiver that refuses the content ends the transfer with its own error")
    func stopAtHead() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let error = TransferError(.bodyTooLarge, "too large")
            let receiver = RecordingReceiver(onHead: { _ in .stop(error) })
            let outcome = await session.perform(try server.request(), receiver: receiver)
            #expect(outcome.error == error)
            #expect(outcome.head?.status == 200)
            #expect(receiver.body.isEmpty)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("a receiver that accepts no more ends the transfer with its own error")
    func stopAtPiece() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhello")
            connection.waitForClose()
        }) { server, session in
            let error = TransferError(.diskFull, "full")
            let outcome = await session.perform(
                try server.request(), receiver: RecordingReceiver(onPiece: { _ in .stop(error) }))
            #expect(outcome.error == error)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test("the metrics match what happened")
    func metrics() async throws {
        try await withServer(greeting) { server, session in
            let first = await session.perform(try server.request()).outcome.metrics
            #expect(!first.connectionReused)
            #expect(first.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(first.httpVersion == "1.1")
            #expect(first.tlsHandshake == nil)
            #expect(first.bytesReceived == Int64("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8.count))
            let connect = try #require(first.connect)
            let sent = try #require(first.requestSent)
            let answered = try #require(first.firstByte)
            #expect(connect <= sent && sent <= answered && answered <= first.total)
            let second = await session.perform(try server.request()).outcome.metrics
            #expect(second.connectionReused)
            #expect(second.connect == nil)
            #expect(second.requestSent != nil)
            #expect(session.counts.startedTransfers == 2)
            #expect(session.counts.reusedConnections == 1)
            #expect(session.counts.openConnections == 1)
        }
    }
}
