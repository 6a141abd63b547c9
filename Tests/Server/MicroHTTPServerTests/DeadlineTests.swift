import Dispatch
import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Deadlines", .timeLimit(.hang))
struct DeadlineTests {
    private let routes = [
        Route(.get, "/") { _, _ in .immediate(.text("fine")) },
        Route(.post, "/buffered") { _, _ in
            .buffered(limitBytes: 1 << 20, tooLarge: { ServerResponse(status: .contentTooLarge) }) {
                .immediate(.text("\($0.count)"))
            }
        },
        Route(.post, "/streamed") { _, _ in
            .streamed { body in
                do {
                    return .text("\(try await body.collect(limitBytes: 1 << 20).count)")
                } catch {
                    return .text("\(error)", status: .badRequest)
                }
            }
        },
    ]

    private func configuration(_ change: (inout ServerTimeouts) -> Void) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        change(&configuration.timeouts)
        return configuration
    }

    /// Sends a byte repeatedly until the server closes the connection.
    private func drip(_ client: RawHTTPClient, _ byte: Character) async {
        do {
            while true { try await client.send(String(byte)) }
        } catch {
            // The server has closed the connection, as expected.
        }
    }

    /// Returns a connection with a completed request, whose next request has not begun.
    ///
    /// The time for the first head begins with the connection. If it passes before a busy client has sent the head,
    /// another connection is made.
    private func keptClient(_ server: TestServer) async throws -> RawHTTPClient {
        while true {
            let client = try server.client()
            do {
                #expect(try await client.exchange(get("/")).text == "fine")
                return client
            } catch is RawHTTPClient.Failure {
                try Task.checkCancellation()
            }
        }
    }

    @Test("a connection without input is closed without a response")
    func silence() async throws {
        try await TestServer.with(configuration { $0.header = .milliseconds(100) }, routes: routes) { server in
            let received = try await server.client().untilClosed()
            #expect(received.isEmpty)
        }
    }

    @Test("a request line that arrives slowly does not keep a connection open")
    func slowRequestLine() async throws {
        let configuration = configuration { timeouts in
            timeouts.header = .milliseconds(100)
            // A line that became too long is refused, and its client read from for this time.
            timeouts.lingering = .milliseconds(100)
        }
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try server.client()
            try await client.send("GET /")
            await drip(client, "a")
            #expect(server.server.statistics.requests == 0)
        }
    }

    @Test("the response to an endless header section is a 408, without content after HEAD", arguments: ["GET", "HEAD"])
    func slowHeader(method: String) async throws {
        try await TestServer.with(configuration { $0.header = .milliseconds(500) }, routes: routes) { server in
            let client = try await keptClient(server)
            // Its time begins with its first bytes, which arrive together.
            try await client.send("\(method) / HTTP/1.1\r\nHost: test\r\nX: ")
            let response = try await client.response(isHead: method == "HEAD")
            #expect(response.status == 408)
            #expect(response.text.contains("/problems/request-timeout") == (method == "GET"))
            #expect(response["Connection"] == "close")
            #expect(try await client.untilClosedOrReset().isEmpty)
        }
    }

    @Test("a kept connection without a new request is closed")
    func keepAlive() async throws {
        try await TestServer.with(configuration { $0.keepAlive = .milliseconds(100) }, routes: routes) { server in
            let client = try server.client()
            #expect(try await client.exchange(get("/")).text == "fine")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("a response that comes before the content, and is read slowly, is sent as a whole")
    func earlyResponse() async throws {
        // More than the buffers of both sockets hold.
        let content = [UInt8](repeating: 120, count: 20 << 20)
        let large = Route(.get, "/large") { _, _ in .immediate(ServerResponse(status: .ok, body: .bytes(content))) }
        let configuration = configuration { $0.bodyIdle = .milliseconds(100) }
        try await TestServer.with(configuration, routes: routes + [large]) { server in
            let client = try server.client()
            try await client.send(get("/large", "Content-Length: 5\r\nExpect: 100-continue\r\n"))
            // When the time of a later content has passed, that of the first one has passed too.
            let later = try server.client()
            let slow = try await later.exchange(get("/buffered", "Content-Length: 10\r\n", method: "POST") + "abc")
            #expect(slow.status == 408)
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.body == content)
        }
    }

    @Test("the response to a stalled content is a 408", arguments: ["/buffered", "/streamed"])
    func stoppedContent(path: String) async throws {
        try await TestServer.with(configuration { $0.bodyIdle = .milliseconds(100) }, routes: routes) { server in
            let client = try server.client()
            let response = try await client.exchange(get(path, "Content-Length: 10\r\n", method: "POST") + "abc")
            #expect(response.status == 408)
            #expect(try await client.untilClosedOrReset().isEmpty)
        }
    }

    @Test("a client that goes on sending after a 408 can read it, and then the end", arguments: [false, true])
    func sendingAfterRefusal(isStreamed: Bool) async throws {
        let isAdmitted = Signal<Void>()
        let route = Route(.post, "/") { _, _ in
            isAdmitted.send()
            guard isStreamed else {
                return .buffered(limitBytes: 1 << 20, tooLarge: { ServerResponse(status: .contentTooLarge) }) {
                    .immediate(.text("\($0.count)"))
                }
            }
            return .streamed { body in
                do {
                    return .text("\(try await body.collect(limitBytes: 1 << 20).count)")
                } catch {
                    return .text("\(error)", status: .badRequest)
                }
            }
        }
        try await TestServer.with(configuration { $0.bodyIdle = .milliseconds(100) }, routes: [route]) { server in
            let client = try server.client()
            try await client.send(get("/", "Content-Length: 1000\r\n", method: "POST") + "abc")
            await isAdmitted.wait()
            await server.waitUntilUnconnected()
            // A closed socket would reset the connection at the first of these, and the others would fail.
            for _ in 0..<10 { try await client.send("def") }
            #expect(try await client.response().status == 408)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("a response that is ready before a stalled content is complete is sent instead of a 408")
    func stoppedContentOfAnsweredRequest() async throws {
        try await TestServer.with(configuration { $0.bodyIdle = .milliseconds(100) }, routes: routes) { server in
            let client = try server.client()
            let response = try await client.exchange(get("/none", "Content-Length: 10\r\n", method: "POST") + "abc")
            #expect(response.status == 404)
            #expect(try await client.untilClosedOrReset().isEmpty)
        }
    }

    @Test("a content that arrives slowly has an absolute limit and a minimum rate", arguments: [true, false])
    func slowContent(byRate: Bool) async throws {
        let configuration = configuration { timeouts in
            timeouts.body = byRate ? .seconds(600) : .milliseconds(100)
            timeouts.rateGrace = byRate ? .milliseconds(100) : .seconds(600)
            timeouts.minBodyBytesPerSecond = 1 << 30
        }
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try server.client()
            try await client.send(get("/buffered", "Content-Length: 1000000000\r\n", method: "POST"))
            // More than the limit would be a 413 instead.
            let response = try await client.response()
            #expect(response.status == 413)
            let slow = try server.client()
            // A content that is read as it arrives has no absolute limit.
            let (path, length) = byRate ? ("/streamed", 1_000_000) : ("/buffered", 10)
            try await slow.send(get(path, "Content-Length: \(length)\r\n", method: "POST") + "a")
            #expect(try await slow.response().status == 408)
        }
    }

    @Test("a stream of the content fails when its client is too slow")
    func failedStream() async throws {
        let failure = Signal<RequestBodyError?>()
        let route = Route(.post, "/") { _, _ in
            .streamed { body in
                do throws(RequestBodyError) {
                    _ = try await body.collect(limitBytes: 100)
                    failure.send(nil)
                } catch {
                    failure.send(error)
                }
                return .text("")
            }
        }
        try await TestServer.with(configuration { $0.bodyIdle = .milliseconds(100) }, routes: [route]) { server in
            let client = try server.client()
            try await client.send(get("/", "Content-Length: 10\r\n", method: "POST") + "abc")
            #expect(await failure.wait() == .tooSlow)
            #expect(try await client.response().status == 408)
        }
    }

    @Test("a slow handler is not regarded as a slow client")
    func slowHandler() async throws {
        let configuration = configuration { timeouts in
            timeouts.bodyIdle = .milliseconds(50)
            timeouts.keepAlive = .milliseconds(50)
        }
        let release = Signal<Void>()
        let slow = Route(.get, "/slow") { _, _ in
            .deferred {
                await release.wait()
                return .text("late")
            }
        }
        try await TestServer.with(configuration, routes: routes + [slow]) { server in
            defer { release.send() }
            let client = try server.client()
            try await client.send(get("/slow"))
            // A connection that is kept for the longest time.
            let idle = try server.client()
            #expect(try await idle.exchange(get("/")).text == "fine")
            #expect(try await idle.untilClosed().isEmpty)
            release.send()
            #expect(try await client.response().text == "late")
        }
    }

    @Test("what arrived while the process stood still is read before time limits are checked")
    func standstill() async throws {
        let configuration = configuration { timeouts in
            // Until the loop stands still, these clients have to be as quick as this.
            timeouts.header = .seconds(5)
            timeouts.bodyIdle = .seconds(5)
            timeouts.keepAlive = .seconds(5)
        }
        let isBlocked = Signal<Void>()
        let mayEnd = DispatchSemaphore(value: 0)
        let blocking = Route(.get, "/block") { _, _ in
            isBlocked.send()
            mayEnd.wait()
            // Never signalled: the time passes.
            #expect(DispatchSemaphore(value: 0).wait(timeout: .now() + 6) == .timedOut)
            return .immediate(.text("went on"))
        }
        try await TestServer.with(configuration, routes: routes + [blocking]) { server in
            let (kept, inHead, inContent) = (try await keptClient(server), try server.client(), try server.client())
            try await inHead.send("GET / HTTP/1.1\r\n")
            try await inContent.send(get("/buffered", "Content-Length: 6\r\n", method: "POST") + "abc")
            let blocker = try server.client()
            try await blocker.send(get("/block"))
            await isBlocked.wait()
            do {
                // The loop stands still until this scope ends, also with an error.
                defer { mayEnd.signal() }
                try await kept.send(get("/"))
                try await inHead.send("Host: test\r\n\r\n")
                try await inContent.send("def")
            }
            #expect(try await kept.response().text == "fine")
            #expect(try await inHead.response().text == "fine")
            #expect(try await inContent.response().text == "6")
            #expect(try await blocker.response().text == "went on")
        }
    }

    @Test(
        "a standstill of the process counts neither for the rate nor for the limit of a content",
        arguments: [true, false])
    func standstillWithinContent(byRate: Bool) async throws {
        let configuration = configuration { timeouts in
            // Apart from the standstill, the client has to be as quick as this.
            timeouts.body = byRate ? .seconds(600) : .seconds(5)
            timeouts.rateGrace = byRate ? .seconds(5) : .seconds(600)
            timeouts.minBodyBytesPerSecond = 1 << 30
        }
        let isUploading = Signal<Void>()
        let uploading = Route(.post, "/upload") { _, _ in
            isUploading.send()
            return .buffered(limitBytes: 1 << 20, tooLarge: { ServerResponse(status: .contentTooLarge) }) {
                .immediate(.text("\($0.count)"))
            }
        }
        let isBlocked = Signal<Void>()
        let mayEnd = DispatchSemaphore(value: 0)
        let blocking = Route(.get, "/block") { _, _ in
            isBlocked.send()
            mayEnd.wait()
            // Never signalled: the time passes.
            #expect(DispatchSemaphore(value: 0).wait(timeout: .now() + 8) == .timedOut)
            return .immediate(.text("went on"))
        }
        // More than the server reads of a connection in one turn.
        let rest = String(repeating: "a", count: 1_000_000)
        try await TestServer.with(configuration, routes: [uploading, blocking]) { server in
            let upload = try server.client()
            try await upload.send(get("/upload", "Content-Length: 1000001\r\n", method: "POST") + "a")
            await isUploading.wait()
            let blocker = try server.client()
            try await blocker.send(get("/block"))
            await isBlocked.wait()
            mayEnd.signal()
            try await upload.send(rest)
            #expect(try await upload.response().text == "1000001")
            #expect(try await blocker.response().text == "went on")
        }
    }
}
