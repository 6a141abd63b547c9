import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks uploads that are resumed or suspended while libcurl waits for a connection to send them again.
@Suite(
    "CurlEngine: the flow of requests that are sent again", .timeLimit(.hang), .enabled(if: SecureRelay.isInstalled))
struct ResentFlowTests {
    /// Two uploads that wait for a connection, over which they are sent again.
    private struct Uploads {
        let session: CurlSession
        let sources: [ListSource]
        let controls: [any TransferControl]
        let tasks: [Task<TransferOutcome, Never>]
        /// The streams over the next connection; 0 for the end of a transfer.
        let streams: EventLog<UInt8>
        /// The contents that have arrived over the next connection.
        let contents: EventLog<String>
        /// Opened to let the next connection be made.
        let mayConnect: Gate

        /// Lets the next connection be made once the engine has handled all pending events.
        func connect() async throws {
            try await session.exchangeGreetings()
            mayConnect.open()
        }

        /// Checks that both uploads succeed.
        func expectSuccess() async {
            for task in tasks { #expect(await task.value.error == nil) }
            #expect(contents.events == ["abcd", "abcd"])
        }
    }

    /// Runs `body` while two uploads, whose connection was closed and whose sources have had no content yet, wait to be
    /// sent again.
    ///
    /// The TLS handshake of the next connection waits. libcurl makes the connection for the first upload, and has none
    /// for the second.
    private func withLostUploads(_ body: (Uploads) async throws -> Void) async throws {
        let (streams, contents) = (EventLog<UInt8>(), EventLog<String>())
        let (mayLose, mayConnect) = (Gate(), Gate())
        defer {
            mayLose.open()
            mayConnect.open()
        }
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            guard connection.number == 0 else { return try connection.receiveUploads(streams, contents) }
            // libcurl sends requests again that it has sent over a reused connection.
            try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hello", isLast: true))
            try connection.waitForHTTP2Request()
            try connection.waitForHTTP2Request()
            mayLose.wait()
        } _: { server, session in
            let port = server.url.port
            let front = try ScriptedServer { connection in
                if connection.number > 0 { mayConnect.wait() }
                try connection.relay(to: port, greeting: [])
            }
            defer { front.stop() }
            let url = try HTTPURL("https://127.0.0.1:\(front.port)/")
            #expect(await session.perform(TransferRequest(url: url, acceptsCompression: false)).text == "hello")
            let sources = [ListSource(["…", "abcd"]), ListSource(["…", "abcd"])]
            let receivers = [RecordingReceiver(), RecordingReceiver()]
            let tasks = zip(sources, receivers).map { source, receiver -> Task<TransferOutcome, Never> in
                let request = TransferRequest(
                    method: .put, url: url, body: .source(source), timeouts: .patient, acceptsCompression: false,
                    mayResend: true)
                return Task {
                    defer { streams.append(0) }
                    return await session.perform(request, receiver: receiver)
                }
            }
            var controls: [any TransferControl] = []
            for receiver in receivers { controls.append(await receiver.control()) }
            for source in sources { _ = await source.reads.first(1) }
            mayLose.open()
            _ = await front.accepted.first(2)
            try await session.exchangeGreetings()
            try #require(front.accepted.events == [0, 1])
            try await body(
                Uploads(
                    session: session, sources: sources, controls: controls, tasks: tasks, streams: streams,
                    contents: contents, mayConnect: mayConnect))
        }
    }

    @Test("an upload whose source has content again before there is a connection is sent again")
    func refilled() async throws {
        try await withLostUploads { uploads in
            for source in uploads.sources { await source.refillAndResume() }
            try await uploads.connect()
            await uploads.expectSuccess()
        }
    }

    @Test("an upload that is suspended before there is a connection sends no content until it is resumed")
    func suspended() async throws {
        try await withLostUploads { uploads in
            for control in uploads.controls { control.suspend() }
            for source in uploads.sources { await source.refillAndResume() }
            let reads = uploads.sources.map { $0.reads.events.count }
            try await uploads.connect()
            #expect(await uploads.streams.first(2) == [1, 3])
            try await uploads.session.exchangeGreetings()
            #expect(uploads.sources.map { $0.reads.events.count } == reads)
            #expect(uploads.contents.events.isEmpty)
            for control in uploads.controls { control.resume() }
            await uploads.expectSuccess()
        }
    }

    @Test("an upload that is suspended and resumed before there is a connection is sent again")
    func resumed() async throws {
        try await withLostUploads { uploads in
            for control in uploads.controls { control.suspend() }
            for source in uploads.sources { await source.refill() }
            try await uploads.session.exchangeGreetings()
            for control in uploads.controls { control.resume() }
            try await uploads.connect()
            await uploads.expectSuccess()
        }
    }
}

extension ScriptedConnection {
    /// Logs the streams of a connection and the contents of their requests, and responds to each.
    ///
    /// The first request has been read up to its content.
    fileprivate func receiveUploads(_ streams: EventLog<UInt8>, _ contents: EventLog<String>) throws {
        streams.append(1)
        var received: [UInt8: [UInt8]] = [:]
        while true {
            let frame = try readHTTP2Frame()
            if frame.type == 1 { streams.append(frame.stream) }
            guard frame.type == 0 else { continue }
            received[frame.stream, default: []] += frame.payload
            guard frame.isLast else { continue }
            contents.append(String(decoding: received[frame.stream] ?? [], as: UTF8.self))
            let content = HTTP2Frames.data("hello", isLast: true, stream: frame.stream)
            try send(HTTP2Frames.ok(stream: frame.stream) + content)
        }
    }
}
