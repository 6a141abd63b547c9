import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Disconnecting clients", .timeLimit(.hang))
struct DisconnectTests {
    /// A handler that waits until it is canceled.
    private struct Waiting {
        let started = Signal<Void>()
        let canceled = Signal<Void>()

        var route: Route {
            Route(.get, "/wait") { _, _ in
                .deferred {
                    started.send()
                    await untilCanceled()
                    canceled.send()
                    return .text("canceled")
                }
            }
        }
    }

    @Test("a handler is canceled when its client closes or resets", arguments: [false, true])
    func canceled(resets: Bool) async throws {
        let waiting = Waiting()
        try await TestServer.with(routes: [waiting.route]) { server in
            let client = try server.client()
            try await client.send(get("/wait"))
            await waiting.started.wait()
            if resets { client.reset() } else { client.close() }
            await waiting.canceled.wait()
        }
    }

    @Test("a handler is also canceled on a kept connection with completed requests")
    func canceledLater() async throws {
        let waiting = Waiting()
        let routes = [waiting.route, Route(.get, "/") { _, _ in .deferred { .text("fine") } }]
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            for _ in 0..<3 {
                #expect(try await client.exchange(get("/")).text == "fine")
            }
            try await client.send(get("/wait"))
            await waiting.started.wait()
            client.close()
            await waiting.canceled.wait()
        }
    }

    @Test("a client that closes only its sending side gets the response of the canceled handler")
    func halfClosed() async throws {
        let waiting = Waiting()
        try await TestServer.with(routes: [waiting.route]) { server in
            let client = try server.client()
            try await client.send(get("/wait"))
            await waiting.started.wait()
            client.finishSending()
            #expect(try await client.response().text == "canceled")
        }
    }

    @Test("a client that closes its sending side gets its response while other connections are served")
    func halfClosedBesideOthers() async throws {
        let (started, goesOn) = (Signal<Void>(), Signal<Void>())
        let late: @Sendable () async -> ServerResponse = {
            started.send()
            await goesOn.wait()
            return .text("late")
        }
        let routes = [
            Route(.get, "/late") { _, _ in .deferred(late) },
            Route(.post, "/late") { _, _ in .streamed { _ in await late() } },
            Route(.get, "/") { _, _ in .deferred { .text("fine") } },
        ]
        try await TestServer.with(routes: routes) { server in
            var clients: [RawHTTPClient] = []
            for request in [get("/late"), post("/late", "content")] {
                let client = try server.client()
                try await client.send(request)
                client.finishSending()
                clients.append(client)
            }
            await started.wait()
            let other = try server.client()
            for _ in 0..<20 { #expect(try await other.exchange(get("/")).text == "fine") }
            goesOn.send()
            for client in clients { #expect(try await client.response().text == "late") }
        }
    }

    @Test(
        "a response with a length is sent to its end, also if its client closes its sending side meanwhile",
        arguments: ["/bytes", "/file"])
    func halfClosedDuringResponse(target: String) async throws {
        let folder = try TemporaryFolder()
        // More than the buffers of the sockets can contain.
        let content = [UInt8](repeating: 0x61, count: 16 << 20)
        let path = try folder.write(content, to: "file")
        let file = FileRegion(path: path, offset: 0, length: Int64(content.count))
        let routes = [
            Route(.get, "/bytes") { _, _ in .immediate(ServerResponse(status: .ok, body: .bytes(content))) },
            Route(.get, "/file") { _, _ in .immediate(ServerResponse(status: .ok, body: .file(file))) },
        ]
        try await TestServer.with(routes: routes) { server in
            let client = try server.client(receiveBufferBytes: 64 << 10)
            try await client.send(get(target))
            _ = try await client.text(until: "\r\n\r\n")
            client.finishSending()
            // The server learns of the end of the connection before it reads this request.
            #expect(try await server.response(get("/")).status == 404)
            let received = try await client.bytes(content.count)
            let isWhole = received == content
            #expect(isWhole)
            #expect(try await client.untilClosed().isEmpty)
        }
        withExtendedLifetime(folder) {}
    }

    @Test("a content is complete even if its sender then closes its sending side")
    func halfClosedAfterContent() async throws {
        let route = Route(.post, "/") { _, _ in
            .streamed { body in
                do {
                    return .text("\(try await body.collect(limitBytes: 1 << 24).count)")
                } catch {
                    return .text("\(error)", status: .badRequest)
                }
            }
        }
        try await TestServer.with(routes: [route]) { server in
            let client = try server.client()
            try await client.send(post("/", String(repeating: "A", count: 4 << 20)))
            client.finishSending()
            #expect(try await client.response().text == "\(4 << 20)")
        }
    }

    @Test("an aborted content fails its stream", arguments: [false, true])
    func brokenContent(chunked: Bool) async throws {
        let reading = ReadingRoute()
        try await TestServer.with(routes: [reading.route("/")]) { server in
            let client = try server.client()
            try await client.send(
                chunked ? postChunked("/") + "3\r\nabc\r\n" : get("/", "Content-Length: 10\r\n", method: "POST") + "abc"
            )
            await reading.begun.wait()
            client.close()
            #expect(await reading.failure.wait() == .clientLeft)
        }
    }

    /// The part of a content that a client sends before it leaves, in different framings.
    ///
    /// It is more than a server with ``smallReads`` reads at a time, which is all that it keeps without a reader. The
    /// rest stays in the socket, and has room there: the end of the connection comes after it.
    enum CutContent: String, CaseIterable {
        case ofKnownLength, inOneChunk, inManyChunks

        var request: String {
            let part = String(repeating: "A", count: 40 << 10)
            switch self {
            case .ofKnownLength:
                return get("/", "Content-Length: \(1 << 20)\r\n", method: "POST") + part
            case .inOneChunk:
                return postChunked("/") + "100000\r\n" + part
            case .inManyChunks:
                // Whole chunks remain in the socket, so that the number of the bytes there does not show the loss.
                let chunk = "1000\r\n" + String(repeating: "A", count: 4 << 10) + "\r\n"
                return postChunked("/") + String(repeating: chunk, count: 10)
            }
        }
    }

    /// A configuration with which the server reads at most 16 KiB of a connection at a time.
    private static let smallReads = {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxHeaderBytes = 8 << 10
        return configuration
    }()

    /// A handler that reads nothing of its content before it is canceled.
    private struct Unread {
        let begun = Signal<Void>()
        let failure = Signal<RequestBodyError?>()

        var route: Route {
            Route(.post, "/") { _, _ in
                .streamed { body in
                    begun.send()
                    await untilCanceled()
                    do {
                        for try await _ in body {}
                        failure.send(nil)
                    } catch {
                        failure.send(error as? RequestBodyError)
                    }
                    return .text("")
                }
            }
        }
    }

    @Test(
        "a client that leaves before the end of its content is noticed, also while nothing is read",
        arguments: CutContent.allCases)
    func unreadContent(content: CutContent) async throws {
        let unread = Unread()
        try await TestServer.with(Self.smallReads, routes: [unread.route]) { server in
            let client = try server.client()
            try await client.send(content.request)
            await unread.begun.wait()
            client.finishSending()
            #expect(await unread.failure.wait() == .clientLeft)
        }
    }

    @Test(
        "a client that has left before the server reads its request is noticed, also while its content is not read",
        arguments: CutContent.allCases)
    func leftBefore(content: CutContent) async throws {
        let unread = Unread()
        let (isBlocked, gate) = (Signal<Void>(), Gate())
        let routes = [
            unread.route,
            Route(.get, "/") { _, _ in .immediate(.text("fine")) },
            // The thread of the server waits, so that it learns of the end first, and then reads.
            Route(.get, "/block") { _, _ in
                isBlocked.send()
                gate.wait()
                return .immediate(.text("later"))
            },
        ]
        try await TestServer.with(Self.smallReads, routes: routes) { server in
            let (client, other) = (try server.client(), try server.client())
            #expect(try await client.exchange(get("/")).text == "fine")
            defer { gate.open() }
            try await other.send(get("/block"))
            await isBlocked.wait()
            try await client.send(content.request)
            client.finishSending()
            gate.open()
            #expect(await unread.failure.wait() == .clientLeft)
        }
    }

    @Test("a malformed chunk fails the stream, and the response is a 400")
    func malformedChunk() async throws {
        let reading = ReadingRoute()
        try await TestServer.with(routes: [reading.route("/")]) { server in
            let client = try server.client()
            try await client.send(postChunked("/") + "3\r\nabc\r\n")
            await reading.begun.wait()
            #expect(try await client.exchange("xyz\r\n").status == 400)
            #expect(await reading.failure.wait() == .clientLeft)
        }
    }

    @Test(
        "clients that disconnect at any point leave no resources behind",
        arguments: [
            "", "G", "GET / HT", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: te", "GET / HTTP/1.1\r\nHost: test\r\n",
            get("/later"), get("/stream"), get("/later") + get("/stream") + get("/later"),
            get("/buffered", "Content-Length: 10\r\n", method: "POST") + "abc",
            get("/streamed", "Content-Length: 10\r\n", method: "POST") + "abc",
            get("/streamed", "Content-Length: 10\r\nExpect: 100-continue\r\n", method: "POST"),
            postChunked("/buffered"), postChunked("/buffered") + "5", postChunked("/streamed") + "5\r\nabc",
            postChunked("/streamed") + "5\r\nabcde\r\n0\r\nX",
        ])
    func everywhere(request: String) async throws {
        let routes = [
            Route(.get, "/later") { _, _ in
                .deferred {
                    await Task.yield()
                    return .text("later")
                }
            },
            Route(.get, "/stream") { _, _ in
                let left = Mutex(50)
                return .immediate(
                    ServerResponse(
                        status: .ok,
                        body: .stream(
                            ResponseStream {
                                await Task.yield()
                                return left.withLock { left in
                                    left -= 1
                                    return left > 0 ? [UInt8](repeating: 65, count: 100_000) : nil
                                }
                            })))
            },
            Route(.post, "/buffered") { _, _ in
                .buffered(limitBytes: 100, tooLarge: { ServerResponse(status: .contentTooLarge) }) { _ in
                    .immediate(.text(""))
                }
            },
            Route(.post, "/streamed") { _, _ in
                .streamed { body in
                    do {
                        return .text("\(try await body.collect(limitBytes: 100).count)")
                    } catch {
                        return .text("\(error)", status: .badRequest)
                    }
                }
            },
        ]
        try await TestServer.with(routes: routes) { server in
            for round in 0..<20 {
                let client = try server.client()
                try await client.send(request)
                if round % 3 == 1 { await Task.yield() }
                if round % 2 == 0 { client.close() } else { client.reset() }
            }
            #expect(try await server.response(get("/later")).text == "later")
        }
    }
}
