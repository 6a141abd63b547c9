import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks an upload that is resumed or suspended while libcurl makes a connection to send it again.
@Suite(
    "CurlEngine: the flow of a request that is sent again", .timeLimit(.hang), .enabled(if: SecureRelay.isInstalled))
struct ResentFlowTests {
    /// An upload that the peer has refused, and that waits for the next connection.
    private struct Upload {
        let session: CurlSession
        let source: ListSource
        let control: any TransferControl
        let task: Task<TransferOutcome, Never>
        /// The contents that have arrived over the next connection, after an empty one for the head.
        let contents: EventLog<String>
        /// Opened to let the next connection be made.
        let mayConnect: Gate

        /// Lets the next connection be made once the engine has handled all pending events.
        func connect() async throws {
            try await session.exchangeGreetings()
            mayConnect.open()
        }

        /// Checks that the upload succeeds.
        func expectSuccess() async {
            #expect(await task.value.error == nil)
            #expect(contents.events == ["", "abcd"])
        }
    }

    /// Runs `body` while an upload, whose stream was refused and whose source has had no content yet, waits to be sent
    /// again.
    private func withRefusedUpload(_ body: (Upload) async throws -> Void) async throws {
        let contents = EventLog<String>()
        let (mayRefuse, mayConnect) = (Gate(), Gate())
        defer {
            mayRefuse.open()
            mayConnect.open()
        }
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            guard connection.number == 0 else { return try connection.receiveUpload(contents) }
            // libcurl sends a request again that it has sent over a reused connection.
            try connection.send(HTTP2Frames.response("hello"))
            try connection.waitForHTTP2Request()
            mayRefuse.wait()
            try connection.send(HTTP2Frames.reset(7, stream: 3))
            connection.waitForClose()
        } _: { server, session in
            let port = server.url.port
            let front = try ScriptedServer { connection in
                if connection.number > 0 { mayConnect.wait() }
                try connection.relay(to: port, greeting: [])
            }
            defer { front.stop() }
            let url = try HTTPURL("https://127.0.0.1:\(front.port)/")
            #expect(await session.perform(TransferRequest(url: url, acceptsCompression: false)).text == "hello")
            let (source, receiver) = (ListSource(["…", "abcd"]), RecordingReceiver())
            let request = TransferRequest(
                method: .put, url: url, body: .source(source), timeouts: .patient, acceptsCompression: false,
                mayResend: true)
            let task = Task { await session.perform(request, receiver: receiver) }
            let control = await receiver.control()
            _ = await source.reads.first(1)
            mayRefuse.open()
            _ = await front.accepted.first(2)
            try await session.exchangeGreetings()
            try await body(
                Upload(
                    session: session, source: source, control: control, task: task, contents: contents,
                    mayConnect: mayConnect))
        }
    }

    @Test("an upload whose source has content again before there is a connection is sent again")
    func refilled() async throws {
        try await withRefusedUpload { upload in
            await upload.source.refillAndResume()
            try await upload.connect()
            await upload.expectSuccess()
        }
    }

    @Test("an upload that is suspended before there is a connection sends no content until it is resumed")
    func suspended() async throws {
        try await withRefusedUpload { upload in
            upload.control.suspend()
            await upload.source.refillAndResume()
            let reads = upload.source.reads.events.count
            try await upload.connect()
            #expect(await upload.contents.first(1) == [""])
            try await upload.session.exchangeGreetings()
            #expect(upload.source.reads.events.count == reads)
            #expect(upload.contents.events == [""])
            upload.control.resume()
            await upload.expectSuccess()
        }
    }

    @Test("an upload that is suspended and resumed before there is a connection is sent again")
    func resumed() async throws {
        try await withRefusedUpload { upload in
            upload.control.suspend()
            await upload.source.refill()
            try await upload.session.exchangeGreetings()
            upload.control.resume()
            try await upload.connect()
            await upload.expectSuccess()
        }
    }
}

extension ScriptedConnection {
    /// Logs an empty text for a request that has been read up to its content, then its content, and responds to it.
    fileprivate func receiveUpload(_ contents: EventLog<String>) throws {
        contents.append("")
        var received: [UInt8] = []
        while true {
            let frame = try readHTTP2Frame()
            guard frame.type == 0 else { continue }
            received += frame.payload
            guard frame.isLast else { continue }
            contents.append(String(decoding: received, as: UTF8.self))
            try send(HTTP2Frames.response("hello"))
        }
    }
}
