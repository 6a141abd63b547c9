import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Testing

/// Checks that a response over HTTP/2 counts as complete only if its stream has ended (RFC 9113 §8.1).
@Suite("CurlEngine: streams of HTTP/2 that do not end", .timeLimit(.hang), .enabled(if: SecureRelay.isInstalled))
struct CutStreamTests {
    /// Violates HTTP/2 by content of no stream (RFC 9113 §6.1), after the given frames, and sends nothing more.
    private func violate(over connection: ScriptedConnection, after frames: [UInt8] = []) throws {
        try connection.send(frames + HTTP2Frames.frame(type: 0, stream: 0, Array("x".utf8)))
        try connection.waitForHTTP2Frame(type: 7)
        connection.waitForClose()
    }

    @Test("a response without a length fails if the peer violates HTTP/2 before its end", arguments: [true, false])
    func cut(hasContent: Bool) async throws {
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + (hasContent ? HTTP2Frames.data("half", isLast: false) : []))
            try violate(over: connection)
        } _: { server, session in
            let (outcome, text) = await session.perform(server.request)
            #expect(outcome.head?.status == 200)
            #expect(outcome.error?.code == .connectionLost)
            #expect(outcome.error?.mayHaveArrived == true)
            #expect(text == (hasContent ? "half" : ""))
        }
    }

    @Test(
        "all responses under way over the connection fail, whatever arrives with the violation",
        arguments: [true, false])
    func cutTogether(withContent: Bool) async throws {
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("one", isLast: false))
            try connection.waitForHTTP2Request()
            try connection.send(HTTP2Frames.frame(type: 1, flags: 4, stream: 3, [0x88]))
            let content = HTTP2Frames.frame(type: 0, stream: 3, Array("two".utf8))
            if !withContent { try connection.send(content) }
            try violate(over: connection, after: withContent ? content : [])
        } _: { server, session in
            let (request, receiver) = (server.request, RecordingReceiver())
            let first = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            let second = session.begin(request, receiver: RecordingReceiver())
            let errors = await [first.value.error, second.value.error]
            #expect(errors.map { $0?.code } == [.connectionLost, .connectionLost], "\(errors)")
            #expect(server.scripted.accepted.events == [0])
        }
    }

    /// The ways in which a server ends a connection after a whole response.
    enum Ending: String, CaseIterable {
        case close, goAway, goAwayAndClose
    }

    @Test("a response whose stream has ended is complete, whatever ends the connection", arguments: Ending.allCases)
    func complete(ending: Ending) async throws {
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            let end = ending == .close ? [] : HTTP2Frames.goAway(last: 1)
            try connection.send(HTTP2Frames.response("whole") + end)
            if ending != .goAway { connection.finishSending() }
            connection.waitForClose()
        } _: { server, session in
            let (outcome, text) = await session.perform(server.request)
            #expect(outcome.error == nil)
            #expect(text == "whole")
        }
    }

    @Test("a response is complete if its connection is closed to have fewer idle ones")
    func evicted() async throws {
        let busy = try await HTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("busy", isLast: false))
            connection.waitForClose()
        }
        defer { busy.stop() }
        let other = try await HTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.response("whole"))
            connection.waitForClose()
        }
        defer { other.stop() }
        var options = busy.options
        options.maxConnectionsPerHost = 1
        options.maxIdleConnections = 1
        try await withSession(options) { session in
            let (request, receiver) = (busy.request, RecordingReceiver())
            let running = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            let (outcome, text) = await session.perform(other.request)
            #expect(outcome.error == nil)
            #expect(text == "whole")
            // The connection was closed: one is left, which is in use.
            #expect(session.counts.openConnections == 1)
            running.cancel()
            #expect(await running.value.error == .canceled)
        }
    }
}
