import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import HTTPTypes
import Testing

@testable import MicroHTTPServer

@Suite("TLS", .timeLimit(.hang))
struct TLSTests {
    private static let megabyte = String(repeating: "A", count: 1 << 20)

    /// The parts of the streamed response.
    private static let parts = (UInt8(0)..<50).map { [UInt8](repeating: $0, count: 20_000) }

    private let routes = [
        Route(.get, "/now") { _, _ in .immediate(.text("now")) },
        Route(.get, "/later") { _, _ in .deferred { .text("later") } },
        Route(.get, "/who") { head, _ in .immediate(.text(head.clientCertificate ?? "anonymous")) },
        Route(.get, "/large") { _, _ in
            .deferred { ServerResponse(status: .ok, body: .bytes([UInt8](repeating: 65, count: 5_000_000))) }
        },
        Route(.get, "/stream") { _, _ in
            let parts = Mutex(Self.parts)
            return .immediate(
                ServerResponse(
                    status: .ok,
                    body: .stream(ResponseStream { parts.withLock { $0.isEmpty ? nil : $0.removeFirst() } })))
        },
        Route(.post, "/buffered") { _, _ in
            .buffered(limitBytes: 1 << 20, tooLarge: { .text("too large", status: .contentTooLarge) }) { content in
                .deferred { .text("\(content.count)") }
            }
        },
        Route(.post, "/streamed") { _, _ in
            .streamed { body in
                do {
                    var count = 0
                    for try await part in body { count += part.count }
                    return .text("\(count)")
                } catch {
                    return .text("\(error)", status: .badRequest)
                }
            }
        },
    ]

    private func configuration(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.tls = try .test()
        change(&configuration)
        return configuration
    }

    @Test("immediate, deferred, ordered and large responses arrive completely", arguments: ["1.2", "1.3"])
    func answers(version: String) async throws {
        try await TestServer.with(try configuration(), routes: routes) { server in
            let client = try await RawHTTPClient.tls(
                port: server.port, priorities: "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
            for _ in 0..<3 {
                #expect(try await client.exchange(get("/now")).text == "now")
                #expect(try await client.exchange(get("/later")).text == "later")
            }
            #expect(try await client.exchange(get("/large")).body == [UInt8](repeating: 65, count: 5_000_000))
            #expect(try await client.exchange(get("/stream")).body == Self.parts.flatMap { $0 })
            // All in one record, in the middle of which libmicrohttpd is suspended.
            try await client.send(String(repeating: get("/later") + get("/now"), count: 50))
            for _ in 0..<50 {
                #expect(try await client.response().text == "later")
                #expect(try await client.response().text == "now")
            }
            #expect(try await client.exchange(get("/who")).text == "anonymous")
            #expect(server.server.statistics.connections == 1)
        }
    }

    @Test("a content arrives completely, including bytes in the session while the socket is empty")
    func contents() async throws {
        let configuration = try configuration {
            // A buffer smaller than a record, and a stream that is full after each part.
            $0.limits.maxHeaderBytes = 4096
            $0.limits.streamBufferBytes = 1000
        }
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try await RawHTTPClient.tls(port: server.port)
            for size in [1, 1000, 16_384, 16_385, 100_000] {
                let content = String(repeating: "x", count: size)
                for path in ["/buffered", "/streamed"] {
                    #expect(try await client.exchange(post(path, content)).text == "\(size)")
                }
            }
            let large = String(repeating: Self.megabyte, count: 8)
            #expect(try await client.exchange(post("/streamed", large)).text == "\(8 << 20)")
            let chunk = "4000\r\n" + String(repeating: "y", count: 0x4000) + "\r\n"
            #expect(
                try await client.exchange(postChunked("/streamed") + chunk + chunk + "0\r\n\r\n").text == "32768")
            let expects = "Content-Length: 5\r\nExpect: 100-continue\r\n"
            #expect(try await client.exchange(get("/streamed", expects, method: "POST")).status == 100)
            #expect(try await client.exchange("hello").text == "5")
        }
    }

    @Test("rejections in the middle of a content are encrypted too")
    func lastWords() async throws {
        let configuration = try configuration { $0.timeouts.bodyIdle = .milliseconds(200) }
        try await TestServer.with(configuration, routes: routes) { server in
            let slow = try await RawHTTPClient.tls(port: server.port)
            let late = try await slow.exchange(get("/streamed", "Content-Length: 10\r\n", method: "POST") + "abc")
            #expect(late.status == 408)
            #expect(late["Content-Type"] == "application/problem+json")
            #expect(try await slow.untilClosed().isEmpty)
        }
        // A server of its own: to encrypt so much takes its time on a busy machine.
        try await TestServer.with(try self.configuration(), routes: routes) { server in
            let large = try await RawHTTPClient.tls(port: server.port)
            let chunk = "100000\r\n" + Self.megabyte + "\r\n"
            let refused = try await large.exchange(postChunked("/buffered") + chunk + chunk)
            #expect(refused.text == "too large")
            #expect(refused.status == 413)
            let announced = try await RawHTTPClient.tls(port: server.port)
            #expect(try await announced.exchange(post("/buffered", Self.megabyte + "A")).status == 413)
            #expect(try await announced.untilClosed().isEmpty)
        }
    }

    @Test("a handler is canceled when its client closes")
    func canceled() async throws {
        let started = Signal<Void>()
        let canceled = Signal<Void>()
        let route = Route(.get, "/wait") { _, _ in
            .deferred {
                started.send()
                await untilCanceled()
                canceled.send()
                return .text("")
            }
        }
        try await TestServer.with(try configuration(), routes: [route]) { server in
            let client = try await RawHTTPClient.tls(port: server.port)
            try await client.send(get("/wait"))
            await started.wait()
            client.finishSending()
            client.close()
            await canceled.wait()
        }
    }

    @Test("a client that does not finish its handshake is closed, and delays no others", arguments: [0, 1, 5, 100])
    func slowHandshake(bytes: Int) async throws {
        let configuration = try configuration { $0.timeouts.header = .milliseconds(300) }
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try server.client()
            // The start of a ClientHello.
            let hello: [UInt8] = [22, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + [UInt8](repeating: 7, count: 200)
            try await client.send(Array(hello.prefix(bytes)))
            let turns = server.server.turns
            _ = try await client.untilClosedOrReset()
            #expect(server.server.turns - turns < 100)
            #expect(server.server.statistics.requests == 0)
        }
    }

    @Test("a handshake and a request may arrive byte by byte")
    func drip() async throws {
        try await TestServer.with(try configuration(), routes: routes) { server in
            let client = try await RawHTTPClient.tls(port: server.port, drips: true)
            #expect(try await client.exchange(post("/buffered", "hello")).text == "5")
        }
    }

    @Test("a blocked reader does not delay others, and is disconnected")
    func slowReader() async throws {
        let configuration = try configuration { $0.timeouts.sendIdle = .milliseconds(300) }
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try await RawHTTPClient.tls(port: server.port, receiveBufferBytes: 4096)
            try await client.send(get("/large"))
            await server.waitUntilUnconnected()
            #expect(server.server.turns < 2000)
            client.close()
        }
    }

    @Test("a draining server finishes requests in progress, and does not wait for a handshake")
    func drains() async throws {
        let started = Signal<Void>()
        let release = Signal<Void>()
        let route = Route(.get, "/slow") { _, _ in
            .deferred {
                started.send()
                await release.wait()
                return .text("slow")
            }
        }
        try await TestServer.with(try configuration(), routes: [route]) { server in
            defer { release.send() }
            let busy = try await RawHTTPClient.tls(port: server.port)
            try await busy.send(get("/slow"))
            await started.wait()
            let idle = try server.client()
            try await idle.send([22, 3, 1])
            async let shutdown: Void = server.server.shutdown(drain: .seconds(600))
            // Runs before the end of the shutdown is awaited, the one above after it.
            defer { release.send() }
            _ = try await idle.untilClosedOrReset()
            release.send()
            #expect(try await busy.response().text == "slow")
            #expect(try await busy.untilClosed().isEmpty)
            await shutdown
        }
    }

    @Test("a kept connection is closed with a close_notify")
    func keepAlive() async throws {
        let configuration = try configuration { $0.timeouts.keepAlive = .milliseconds(100) }
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try await RawHTTPClient.tls(port: server.port)
            #expect(try await client.exchange(get("/now")).text == "now")
            #expect(try await client.untilClosed().isEmpty)
            let asked = try await RawHTTPClient.tls(port: server.port)
            #expect(try await asked.exchange(get("/later", "Connection: close\r\n")).text == "later")
            #expect(try await asked.untilClosed().isEmpty)
        }
    }

    @Test("a client without TLS gets no plain-text response, and old versions are rejected")
    func otherProtocols() async throws {
        try await TestServer.with(try configuration(), routes: routes) { server in
            let plain = try server.client()
            try await plain.send(get("/now"))
            let text = String(decoding: try await plain.untilClosedOrReset(), as: UTF8.self)
            #expect(!text.contains("HTTP/"))
            await #expect(throws: TestCertificate.Failure.self) {
                try await RawHTTPClient.tls(port: server.port, priorities: "NORMAL:-VERS-ALL:+VERS-TLS1.1:+VERS-TLS1.0")
            }
            #expect(server.server.statistics.requests == 0)
        }
    }

    @Test(
        "clients that disconnect at any point leave no resources behind",
        arguments: [
            "", "GET /lat", get("/later"), get("/large"), get("/stream"), get("/later") + get("/now") + "GET ",
            get("/streamed", "Content-Length: 10\r\n", method: "POST") + "abc",
            postChunked("/buffered") + "5\r\nab", post("/streamed", String(repeating: "A", count: 100_000)),
        ])
    func leaving(request: String) async throws {
        try await TestServer.with(try configuration(), routes: routes) { server in
            for isAbrupt in [false, true] {
                for _ in 0..<5 {
                    let client = try await RawHTTPClient.tls(port: server.port)
                    try await client.send(request)
                    if isAbrupt {
                        client.reset()
                    } else {
                        client.finishSending()
                        client.close()
                    }
                }
            }
            await server.waitUntilUnconnected()
        }
    }
}
