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
            if self == .goAwayAndClose { connection.finishSending() }
            connection.waitForClose()
        }
    }

    private func post(_ server: HTTP2Server) -> TransferRequest {
        TransferRequest(method: .post, url: server.url, body: .bytes(Array("x".utf8)), acceptsCompression: false)
    }

    @Test("a POST that the peer has refused has not arrived", arguments: Refusal.allCases, HTTP2Link.overTCP)
    func refused(refusal: Refusal, link: HTTP2Link) async throws {
        let requests = EventLog<Int>()
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            requests.append(connection.number)
            try refusal.play(over: connection)
        } _: { server, session in
            let (outcome, _) = await session.perform(post(server))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == false)
            #expect(outcome.metrics.bytesSent == 0)
            #expect(outcome.head == nil)
            // Resending is left to the owner, although libcurl may open a connection for it.
            #expect(requests.events == [0])
        }
    }

    @Test(
        "a POST on a connection that is in use has not arrived either if it was refused",
        .enabled(if: SecureRelay.isInstalled), arguments: [false, true])
    func refusedOnReusedConnection(byGoAway: Bool) async throws {
        let requests = EventLog<Int>()
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            requests.append(connection.number)
            try connection.send(HTTP2Frames.response("hello"))
            try connection.waitForHTTP2Request()
            requests.append(connection.number)
            try connection.send(byGoAway ? HTTP2Frames.goAway(last: 1) : HTTP2Frames.reset(7, stream: 3))
            connection.waitForClose()
        } _: { server, session in
            #expect(await session.perform(post(server)).text == "hello")
            let (outcome, _) = await session.perform(post(server))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == false)
            // Both requests came over the first connection, even if libcurl has opened another one to resend the second.
            #expect(requests.events == [0, 0])
        }
    }

    @Test(
        "content that cannot be sent again has not arrived if the peer has refused it", arguments: Refusal.allCases,
        HTTP2Link.overTCP)
    func spent(refusal: Refusal, link: HTTP2Link) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            try connection.waitForHTTP2Frame(type: 0)
            try refusal.play(over: connection)
        } _: { server, session in
            for mayResend in [false, true] {
                let request = TransferRequest(
                    method: .put, url: server.url,
                    body: .source(ListSource(["ab", "cd"], length: 4, canRewind: false)),
                    acceptsCompression: false, mayResend: mayResend)
                let (outcome, _) = await session.perform(request)
                #expect(outcome.error?.code == .connectionLost)
                #expect(outcome.error?.mayHaveArrived == false)
                #expect(outcome.metrics.bytesSent == 0)
            }
        }
    }

    @Test(
        "a request that failed in another way may have arrived", arguments: [2, 8, 11, 100, 101] as [UInt8],
        HTTP2Link.overTCP)
    func lost(code: UInt8, link: HTTP2Link) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            switch code {
            case 100: try connection.send(HTTP2Frames.goAway(last: 1))
            case 101: break
            default: try connection.send(HTTP2Frames.reset(code))
            }
        } _: { server, session in
            let (outcome, _) = await session.perform(post(server))
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == true)
            #expect(outcome.metrics.bytesSent > 0)
        }
    }

    @Test("a request whose fields and path name a GOAWAY may have arrived all the same", arguments: HTTP2Link.overTCP)
    func named(link: HTTP2Link) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
        } _: { server, session in
            var request = post(server)
            request.url = try HTTPURL("\(server.url.string)?recveived%20GOAWAY,%20last_stream=0")
            request.headers[try #require(HTTPField.Name("X-Note"))] = "recveived GOAWAY, error=0, last_stream=0"
            request.headers[try #require(HTTPField.Name("Recveived"))] = "GOAWAY, last_stream=0"
            let (outcome, _) = await session.perform(request)
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == true)
        }
    }

    @Test("a request that may be resent is resent", arguments: HTTP2Link.overTCP)
    func resent(link: HTTP2Link) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            guard connection.number > 0 else {
                try connection.send(HTTP2Frames.reset(7))
                return connection.waitForClose()
            }
            try connection.send(HTTP2Frames.response("hello"))
            connection.waitForClose()
        } _: { server, session in
            let request = TransferRequest(url: server.url, acceptsCompression: false, mayResend: true)
            let (outcome, text) = await session.perform(request)
            #expect(outcome.error == nil)
            #expect(outcome.head?.version == "2")
            #expect(text == "hello")
            #expect(server.scripted.accepted.events == [0, 1])
        }
    }
}
