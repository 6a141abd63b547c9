import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks the handling of HTTP/2 requests that were not processed (RFC 9113 §8.7).
@Suite("CurlEngine: requests that were not processed", .timeLimit(.hang))
struct UnprocessedRequestTests {
    /// The ways in which a server rejects a request.
    enum Refusal: String, CaseIterable {
        case refusedStream, goAway, goAwayAndClose, refusedStreamAndGoAway

        func play(over connection: ScriptedConnection) throws {
            switch self {
            case .refusedStream: try connection.send(HTTP2Frames.reset(7))
            case .goAway, .goAwayAndClose: try connection.send(HTTP2Frames.goAway(last: 0))
            case .refusedStreamAndGoAway:
                try connection.send(HTTP2Frames.reset(7) + HTTP2Frames.goAway(last: 0))
            }
            if self != .goAwayAndClose { connection.waitForClose() }
        }
    }

    private var http2: ConnectionOptions {
        var options = ConnectionOptions()
        options.version = .http2
        return options
    }

    @Test("a POST that the peer has refused has not arrived", arguments: Refusal.allCases)
    func refused(refusal: Refusal) async throws {
        let requests = EventLog<Int>()
        try await withServer(
            { connection in
                try connection.beginHTTP2()
                requests.append(connection.number)
                try refusal.play(over: connection)
            }, options: http2
        ) { server, session in
            let (outcome, _) = await session.perform(try server.request(.post, body: .bytes(Array("x".utf8))))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == false)
            #expect(outcome.metrics.bytesSent == 0)
            #expect(outcome.head == nil)
            // Resending is left to the owner, although libcurl may open a connection for it.
            #expect(requests.events == [0])
        }
    }

    @Test("a request that failed in another way may have arrived", arguments: [2, 8, 11, 100, 101] as [UInt8])
    func lost(code: UInt8) async throws {
        try await withServer(
            { connection in
                try connection.beginHTTP2()
                switch code {
                case 100: try connection.send(HTTP2Frames.goAway(last: 1))
                case 101: break
                default: try connection.send(HTTP2Frames.reset(code))
                }
            }, options: http2
        ) { server, session in
            let (outcome, _) = await session.perform(try server.request(.post, body: .bytes(Array("x".utf8))))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == true)
            #expect(outcome.metrics.bytesSent > 0)
        }
    }

    @Test("a request that may be resent is resent")
    func resent() async throws {
        try await withServer(
            { connection in
                try connection.beginHTTP2()
                guard connection.number > 0 else {
                    try connection.send(HTTP2Frames.reset(7))
                    return connection.waitForClose()
                }
                try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hello", isLast: true))
                connection.waitForClose()
            }, options: http2
        ) { server, session in
            let (outcome, text) = await session.perform(try server.request(mayResend: true))
            #expect(outcome.error == nil)
            #expect(text == "hello")
            #expect(server.accepted.events == [0, 1])
        }
    }
}
