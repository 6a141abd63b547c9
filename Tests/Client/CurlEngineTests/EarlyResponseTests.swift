import CErrandHTTP2Streams
import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks HTTP/2 responses that begin before the request is sent (RFC 9113 §8.1).
@Suite("CurlEngine: responses before the end of the request", .timeLimit(.hang))
struct EarlyResponseTests {
    private func post(_ body: TransferBody, to server: HTTP2Server) -> TransferRequest {
        TransferRequest(method: .post, url: server.url, body: body, timeouts: .patient, acceptsCompression: false)
    }

    @Test(
        "a response that is complete before the content of the request is sent ends the transfer",
        arguments: HTTP2Link.available, [1, nil] as [Int64?])
    func complete(link: HTTP2Link, length: Int64?) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.response("hello"))
            connection.waitForClose()
        } _: { server, session in
            let source = ListSource(["…", "x"], length: length)
            let receiver = RecordingReceiver()
            let request = post(.source(source), to: server)
            async let outcome = session.perform(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            await source.refillAndResume()
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
            try connection.send(HTTP2Frames.response("hello"))
            connection.waitForClose()
        } _: { server, session in
            let body = TransferBody.bytes([UInt8](repeating: 120, count: length))
            let (outcome, text) = await session.perform(post(body, to: server))
            #expect(outcome.error == nil)
            #expect(outcome.metrics.bytesSent > length)
            #expect(text == "hello")
        }
    }

    /// The ways in which a request is still under way.
    enum Rest: String, CaseIterable {
        /// The source has no content for now.
        case dry
        /// The peer's flow control does not allow more.
        case blocked

        var body: TransferBody {
            switch self {
            case .dry: .source(ListSource(["…"], length: 1))
            case .blocked: .bytes([UInt8](repeating: 120, count: 200_000))
            }
        }
    }

    @Test(
        "a complete response is kept if the peer wants no more of the request, whenever it says so",
        arguments: HTTP2Link.available, Rest.allCases)
    func unwanted(link: HTTP2Link, rest: Rest) async throws {
        for (head, status) in [
            (HTTP2Frames.ok, 200), (HTTP2Frames.okWithLength(5), 200), (HTTP2Frames.notFound, 404),
        ] {
            for isSeparate in [false, true] {
                let gate = Gate()
                try await withHTTP2Server(over: link) { connection in
                    try connection.beginHTTP2()
                    try connection.send(head + HTTP2Frames.data("hello", isLast: true))
                    if isSeparate { gate.wait() }
                    try connection.send(HTTP2Frames.reset(0))
                    connection.waitForClose()
                } _: { server, session in
                    let receiver = RecordingReceiver()
                    let request = post(rest.body, to: server)
                    async let outcome = session.perform(request, receiver: receiver)
                    if isSeparate { _ = await receiver.pieces.first(1) }
                    gate.open()
                    #expect(await outcome.error == nil, "\(status), \(isSeparate)")
                    #expect(await outcome.head?.status == status)
                    #expect(receiver.text == "hello")
                }
            }
        }
    }

    @Test(
        "a receiver that is full when the peer wants no more of the request gets the whole response",
        arguments: Rest.allCases)
    func full(rest: Rest) async throws {
        try await withHTTP2Server(over: .tcp) { connection in
            try connection.beginHTTP2()
            guard connection.number == 0 else { return }
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hel", isLast: false))
            try connection.send(HTTP2Frames.data("lo", isLast: true) + HTTP2Frames.reset(0))
            connection.waitForClose()
        } _: { server, session in
            let receiver = RecordingReceiver(onPiece: { number in number == 0 ? .pause : .more })
            let request = post(rest.body, to: server)
            async let outcome = session.perform(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            // Another transfer of the engine takes several of its turns, in which the receiver stays full.
            #expect(await session.perform(post(.none, to: server)).outcome.error?.code == .connectionLost)
            await receiver.control().resumeReceiving()
            #expect(await outcome.error == nil)
            #expect(receiver.text == "hello")
        }
    }

    @Test("the streams of connections are seen")
    func streams() {
        #expect(chttp2streams_are_handled() == 1)
    }

    @Test("a stream that is reset before the end of its response is a lost connection", arguments: HTTP2Link.available)
    func incomplete(link: HTTP2Link) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hel", isLast: false) + HTTP2Frames.reset(0))
            connection.waitForClose()
        } _: { server, session in
            let (outcome, _) = await session.perform(post(Rest.blocked.body, to: server))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == true)
        }
    }

    @Test("many early responses over one connection end all transfers")
    func many() async throws {
        let count = 20
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.response("hello"))
            for number in 1...count {
                try connection.waitForHTTP2Request()
                let stream = UInt8(2 * number + 1)
                try connection.send(
                    HTTP2Frames.response("hello", stream: stream))
            }
            connection.waitForClose()
        } _: { server, session in
            // The connection exists before, so that all others share it.
            #expect(await session.perform(post(.bytes([120]), to: server)).text == "hello")
            let sources = (0..<count).map { _ in ListSource(["…", "x"], length: 1) }
            let receivers = sources.map { _ in RecordingReceiver() }
            let requests = sources.map { post(.source($0), to: server) }
            let tasks = zip(requests, receivers).map { session.begin($0, receiver: $1) }
            for receiver in receivers { _ = await receiver.pieces.first(1) }
            // The source of a transfer that has failed may never be dry.
            try #require(receivers.allSatisfy { !$0.body.isEmpty })
            for source in sources { await source.refillAndResume() }
            for task in tasks { #expect(await task.value.error == nil) }
            #expect(receivers.allSatisfy { $0.text == "hello" })
            #expect(session.counts.openConnections == 1)
        }
    }
}
