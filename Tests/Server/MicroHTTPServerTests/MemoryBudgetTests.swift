import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Memory budgets", .timeLimit(.hang))
struct MemoryBudgetTests {
    private static let routes = [
        Route(.post, "/") { _, _ in
            .buffered(limitBytes: 1 << 30, tooLarge: { ServerResponse(status: .contentTooLarge) }) { content in
                .deferred { .text("\(content.count)") }
            }
        },
        Route(.get, "/large") { _, _ in .immediate(large) },
        Route(.get, "/unchanged") { _, _ in .immediate(ServerResponse(status: .notModified, body: large.body)) },
        Route(.post, "/large") { _, _ in .deferred { large } },
        Route(.post, "/shortenable") { _, _ in .deferred { shortenable } },
    ]

    private static let large = ServerResponse(status: .ok, body: .bytes([UInt8](repeating: 0x61, count: 8 << 20)))

    private static let shortenable = ServerResponse(
        status: .accepted, headers: [.location: "/a"],
        body: .shortenable([UInt8](repeating: 0x61, count: 8 << 20), short: Array("short".utf8)))

    private static func content(_ kibibytes: Int) -> String { String(repeating: "a", count: kibibytes << 10) }

    private static func chunk(_ kibibytes: Int) -> String {
        "\(String(kibibytes << 10, radix: 16))\r\n\(content(kibibytes))\r\n"
    }

    /// Repeats a request until it has the expected status, because a client cannot see the progress of another one.
    private func ask(
        _ server: TestServer, _ request: String, until status: Int
    ) async throws -> RawHTTPClient.Response {
        while true {
            let response = try await server.response(request)
            if response.status == status { return response }
            try Task.checkCancellation()
        }
    }

    /// Runs a server with a budget of 1 MiB for contents, of which one client holds 600 KiB by sending half of a content.
    ///
    /// - Parameter body: Receives the server, that client, and the refusal of another client.
    private func withHalfContent(
        _ body: (TestServer, _ half: RawHTTPClient, _ refused: RawHTTPClient.Response) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxBufferedBytes = 1 << 20
        try await TestServer.with(configuration, routes: Self.routes) { server in
            let half = try server.client()
            try await half.send(postChunked("/") + Self.chunk(600))
            // Asks for the consent to send, and sends nothing: content that arrives before all of the half would take
            // a part of the budget, and the half could be refused.
            let head = get("/", "Content-Length: \(300 << 10)\r\nExpect: 100-continue\r\n", method: "POST")
            try await body(server, half, ask(server, head, until: 503))
        }
    }

    @Test("concurrent contents share a budget: beyond it large ones get a 503, and small ones are accepted")
    func contents() async throws {
        try await withHalfContent { server, half, refused in
            #expect(refused["Content-Type"] == "application/problem+json")
            #expect(refused.text.contains("/problems/overloaded"))
            #expect(refused["Retry-After"] == "1")
            #expect(refused["Connection"] == "close")
            #expect(try await server.response(postChunked("/") + Self.chunk(300) + "0\r\n\r\n").status == 503)
            #expect(try await server.response(post("/", Self.content(60))).text == "\(60 << 10)")
            try await half.send("0\r\n\r\n")
            #expect(try await half.response().text == "\(600 << 10)")
            #expect(try await server.response(post("/", Self.content(300))).text == "\(300 << 10)")
            #expect(try await server.response(post("/", Self.content(2000))).text == "\(2000 << 10)", "one alone may")
        }
    }

    @Test("the memory of a disconnected client is released")
    func departures() async throws {
        try await withHalfContent { (server, half, _) async throws in
            half.reset()
            #expect(try await ask(server, post("/", Self.content(300)), until: 200).text == "\(300 << 10)")
        }
    }

    @Test(
        "a content counts until its handler has ended, also if its client has left before", arguments: [false, true])
    func judged(leaves: Bool) async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxBufferedBytes = 1 << 20
        let (isJudged, goesOn) = (Signal<Void>(), Signal<Void>())
        let judge = Route(.post, "/judge") { _, _ in
            .buffered(limitBytes: 1 << 30, tooLarge: { ServerResponse(status: .contentTooLarge) }) { content in
                .deferred {
                    isJudged.send()
                    await goesOn.wait()
                    return .text("\(content.count)")
                }
            }
        }
        try await TestServer.with(configuration, routes: Self.routes + [judge]) { server in
            defer { goesOn.send() }
            let first = try server.client()
            try await first.send(post("/judge", Self.content(600)))
            await isJudged.wait()
            if leaves {
                first.reset()
                await server.waitUntilUnconnected()
            }
            #expect(try await server.response(post("/", Self.content(300))).status == 503)
            #expect(try await server.response(post("/", Self.content(60))).text == "\(60 << 10)")
            goesOn.send()
            if !leaves { #expect(try await first.response().text == "\(600 << 10)") }
            #expect(try await ask(server, post("/", Self.content(300)), until: 200).text == "\(300 << 10)")
        }
    }

    @Test("a content that its handler has not begun to read is not collected, however much a stream may hold")
    func unreadContent() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.streamBufferBytes = 1 << 30
        let release = Signal<Void>()
        let route = Route(.put, "/") { _, _ in
            .streamed { _ in
                await release.wait()
                return .text("refused", status: .conflict)
            }
        }
        try await TestServer.with(configuration, routes: [route]) { server in
            defer { release.send() }
            let client = try server.client()
            try await client.send(get("/", "Content-Length: \(48 << 20)\r\n", method: "PUT"))
            let sent = try await server.sendUntilBlocked(on: client, limit: 32 << 20)
            #expect(sent < 32 << 20)
            release.send()
            let response = try await client.response()
            #expect(response.status == 409)
        }
    }

    @Test(
        "unread responses share a budget: beyond it a GET gets a 503, but a change its response, in short if possible"
    )
    func answers() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxPendingResponseBytes = 10 << 20
        try await TestServer.with(configuration, routes: Self.routes) { server in
            let reader = try server.client(receiveBufferBytes: 4096)
            try await reader.send(get("/large"))
            _ = try await reader.bytes(16)
            let refused = try await server.response(get("/large"))
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "1")
            let head = try await server.response(get("/large", method: "HEAD"), isHead: true)
            #expect(head.status == 200, "it has no content")
            #expect(head["Content-Length"] == "\(8 << 20)")
            #expect(try await server.response(get("/unchanged")).status == 304, "nor has this one")
            #expect(try await server.response(get("/large", method: "POST")).body.count == 8 << 20)
            let short = try await server.response(get("/shortenable", method: "POST"))
            #expect(short.status == 202)
            #expect(short["Location"] == "/a")
            #expect(short.text == "short")
            reader.reset()
            #expect(try await ask(server, get("/large"), until: 200).body.count == 8 << 20)
            #expect(try await server.response(get("/shortenable", method: "POST")).body.count == 8 << 20)
        }
    }

    /// A response with two parts, of which the first is available already.
    private static func parts(_ first: Int, _ second: Int) -> ServerResponse {
        let parts = Mutex([first, second].map { [UInt8](repeating: 0x61, count: $0) })
        var stream = ResponseStream { parts.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        stream.firstPartBytes = first
        return ServerResponse(status: .ok, body: .stream(stream))
    }

    @Test("parts of streamed responses share the budget: without room the response is a 503, or ends in the middle")
    func parts() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxPendingResponseBytes = 10 << 20
        let routes = [
            Route(.get, "/first") { _, _ in .immediate(Self.parts(6 << 20, 10)) },
            Route(.get, "/second") { _, _ in .immediate(Self.parts(10, 6 << 20)) },
            Route(.get, "/small") { _, _ in .immediate(Self.parts(60 << 10, 60 << 10)) },
        ]
        try await TestServer.with(configuration, routes: routes) { server in
            let reader = try server.client(receiveBufferBytes: 4096)
            try await reader.send(get("/first"))
            _ = try await reader.bytes(16)
            let refused = try await ask(server, get("/first"), until: 503)
            #expect(refused["Retry-After"] == "1")
            let cut = try server.client()
            try await cut.send(get("/second"))
            let received = String(decoding: try await cut.untilClosedOrReset(), as: UTF8.self)
            #expect(received.hasPrefix("HTTP/1.1 200 "))
            #expect(received.hasSuffix("a\r\n"), "no last chunk")
            #expect(try await server.response(get("/small")).body.count == 120 << 10)
            reader.reset()
            #expect(try await ask(server, get("/first"), until: 200).body.count == (6 << 20) + 10)
            #expect(try await server.response(get("/second")).body.count == (6 << 20) + 10)
        }
    }
}
