import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks HTTP/2 responses that begin before the request is sent (RFC 9113 §8.1).
@Suite("CurlEngine: responses before the end of the request", .timeLimit(.hang))
struct EarlyResponseTests {
    private func post(_ body: TransferBody, to server: HTTP2Server) -> TransferRequest {
        TransferRequest(method: .post, url: server.url, body: body, acceptsCompression: false)
    }

    @Test(
        "a response that is complete before the content of the request is sent ends the transfer",
        arguments: HTTP2Link.available, [1, nil] as [Int64?])
    func complete(link: HTTP2Link, length: Int64?) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hello", isLast: true))
            connection.waitForClose()
        } _: { server, session in
            let source = ListSource(["…", "x"], length: length)
            let receiver = RecordingReceiver()
            let request = post(.source(source), to: server)
            async let outcome = session.perform(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            source.refillAndResume()
            #expect(await outcome.error == nil)
            #expect(await outcome.metrics.bytesSent > 0)
            #expect(receiver.text == "hello")
        }
    }

    @Test(
        "an error response that is complete before the request's content is sent ends the transfer",
        arguments: HTTP2Link.available)
    func failure(link: HTTP2Link) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.notFound + HTTP2Frames.data("hello", isLast: true))
            connection.waitForClose()
        } _: { server, session in
            let (outcome, text) = await session.perform(post(.source(ListSource(["…", "x"], length: 1)), to: server))
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 404)
            #expect(text == "hello")
        }
    }

    @Test("content that takes long to send is sent whole after a complete response", arguments: HTTP2Link.available)
    func long(link: HTTP2Link) async throws {
        let length = 8_000_000
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2(settings: HTTP2Frames.wideWindow)
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hello", isLast: true))
            connection.waitForClose()
        } _: { server, session in
            let body = TransferBody.bytes([UInt8](repeating: 120, count: length))
            let (outcome, text) = await session.perform(post(body, to: server))
            #expect(outcome.error == nil)
            #expect(outcome.metrics.bytesSent > length)
            #expect(text == "hello")
        }
    }

    @Test("many early responses over one connection end all transfers")
    func many() async throws {
        let count = 20
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hello", isLast: true))
            for number in 1...count {
                try connection.waitForHTTP2Request()
                let stream = UInt8(2 * number + 1)
                try connection.send(
                    HTTP2Frames.ok(stream: stream) + HTTP2Frames.data("hello", isLast: true, stream: stream))
            }
            connection.waitForClose()
        } _: { server, session in
            // The connection exists before, so that all others share it.
            #expect(await session.perform(post(.bytes([120]), to: server)).text == "hello")
            let sources = (0..<count).map { _ in ListSource(["…", "x"], length: 1) }
            let receivers = sources.map { _ in RecordingReceiver() }
            let requests = sources.map { post(.source($0), to: server) }
            let tasks = zip(requests, receivers).map { request, receiver in
                Task { await session.perform(request, receiver: receiver) }
            }
            for receiver in receivers { _ = await receiver.pieces.first(1) }
            for source in sources { source.refillAndResume() }
            for task in tasks { #expect(await task.value.error == nil) }
            #expect(receivers.allSatisfy { $0.text == "hello" })
            #expect(session.counts.openConnections == 1)
        }
    }
}
