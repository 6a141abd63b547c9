import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks that libcurl processes all of the input that it has read from an HTTP/2 connection.
///
/// libcurl stops at content for which the buffer of a transfer has no room (16 KiB).
@Suite("CurlEngine: the input of HTTP/2 connections", .timeLimit(.hang))
struct StreamInputTests {
    private static func data(_ count: Int, isLast: Bool = false, stream: UInt8 = 1) -> [UInt8] {
        HTTP2Frames.data(String(repeating: "x", count: count), isLast: isLast, stream: stream)
    }

    @Test(
        "a response that arrives as a whole is complete, whatever the sizes of its frames",
        arguments: HTTP2Link.available,
        [[16_384, 1], [16_384, 15_000], [9_000, 9_000], [9_000, 9_000, 1, 5_000, 0]])
    func whole(link: HTTP2Link, sizes: [Int]) async throws {
        try await withHTTP2Server(over: link) { connection in
            try connection.beginHTTP2()
            let last = sizes.indices.last
            let frames = sizes.indices.map { Self.data(sizes[$0], isLast: $0 == last) }
            try connection.send(HTTP2Frames.ok + frames.joined())
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            let (outcome, text) = await session.perform(request)
            #expect(outcome.error == nil)
            #expect(text.utf8.count == sizes.reduce(0, +))
        }
    }

    @Test(
        "a response behind the content of another one arrives, whether or not that one is paused",
        .enabled(if: SecureRelay.isInstalled), arguments: [true, false])
    func behind(isPaused: Bool) async throws {
        // The last does not fit into the buffer of the first transfer, which the one before almost fills. If that transfer
        // is not paused, it reads the first.
        let sizes = isPaused ? [16_000, 1_000] : [16_000, 16_000, 1_000]
        let contents = sizes.flatMap { Self.data($0, stream: 3) }
        let last = HTTP2Frames.data("hello", isLast: true, stream: 5)
        let (isBlocked, mayContinue) = (Gate(), Gate())
        defer { mayContinue.open() }
        try await withHTTP2Server(over: .tls) { connection in
            // libcurl calls the transfer that has made the connection once more, 0.2 s after it began.
            try connection.beginHTTP2()
            try connection.send(HTTP2Frames.ok + Self.data(1, isLast: true))
            try connection.waitForHTTP2Request()
            try connection.send(HTTP2Frames.ok(stream: 3) + Self.data(10, stream: 3))
            try connection.waitForHTTP2Request()
            // libcurl pauses a transfer when it does not take a piece.
            try connection.send(Self.data(10, stream: 3) + HTTP2Frames.ok(stream: 5))
            isBlocked.wait()
            try connection.send(contents + last)
            try connection.waitForHTTP2Request()
            try connection.send(Self.data(0, isLast: true, stream: 3) + HTTP2Frames.ok(stream: 7))
            try connection.send(HTTP2Frames.data("bye", isLast: true, stream: 7))
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            #expect(await session.perform(request).text == "x")
            let receiver = RecordingReceiver(onPiece: { $0 == 0 && isPaused ? .pause : .more })
            let task = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            // Blocks the thread of the engine until all of the rest can be read at once.
            let second = RecordingReceiver(onHead: { _ in
                isBlocked.open()
                mayContinue.wait()
                return .proceed
            })
            let secondTask = session.begin(request, receiver: second)
            try await until { try ReceiveQueues.bytes(from: server.port) > contents.count + last.count }
            mayContinue.open()
            #expect(await secondTask.value.error == nil)
            #expect(second.text == "hello")
            #expect(await session.perform(request).text == "bye")
            if isPaused { await receiver.control().resumeReceiving() }
            #expect(await task.value.error == nil)
            #expect(receiver.body.count == sizes.reduce(20, +))
        }
    }

    /// A response to the first request that fills a record of TLS, and whose content does not fit into the buffer of its
    /// transfer together with the lines of its head: each but the first, `accept-encoding: gzip, deflate` (RFC 7541, entry
    /// 16 of the static table), is one byte of the frame.
    private static let overfull =
        HTTP2Frames.frame(type: 1, flags: 4, stream: 1, [0x88, 0x90, 0x90, 0x90, 0x90])
        + data(overfullCount)
    private static let overfullCount = 16_384 - 14 - 9

    @Test(
        "a connection is reused after a transfer was canceled whose last content did not fit into its buffer",
        .enabled(if: SecureRelay.isInstalled))
    func canceled() async throws {
        let isCanceled = Gate()
        defer { isCanceled.open() }
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(Self.overfull)
            isCanceled.wait()
            try connection.send(HTTP2Frames.ping)
            try connection.waitForHTTP2Request()
            try connection.send(HTTP2Frames.response("hello", stream: 3))
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            let receiver = RecordingReceiver(onPiece: { _ in .pause })
            let task = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            await receiver.control().cancel()
            #expect(await task.value.error == .canceled)
            isCanceled.open()
            // What has arrived for an idle connection is read when it is to be used.
            try await until { try ReceiveQueues.bytes(from: server.port) > 0 }
            let (outcome, text) = await session.perform(request)
            #expect(text == "hello")
            #expect(outcome.metrics.connectionReused)
        }
    }

    @Test(
        "a request of unknown length ends while content of another transfer does not fit into its buffer",
        .enabled(if: SecureRelay.isInstalled))
    func requestEnds() async throws {
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            try connection.send(Self.overfull)
            try connection.waitForHTTP2Request()
            while try !connection.readHTTP2Frame().isLast {}
            try connection.send(HTTP2Frames.response("hello", stream: 3) + Self.data(1_000, isLast: true))
            connection.waitForClose()
        } _: { server, session in
            var request = server.request
            let receiver = RecordingReceiver(onPiece: { $0 == 0 ? .pause : .more })
            let task = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            request.method = .post
            request.body = .source(ListSource(["some", "content"]))
            #expect(await session.perform(request).text == "hello")
            await receiver.control().resumeReceiving()
            #expect(await task.value.error == nil)
            #expect(receiver.text == String(repeating: "x", count: Self.overfullCount + 1_000))
        }
    }
}
