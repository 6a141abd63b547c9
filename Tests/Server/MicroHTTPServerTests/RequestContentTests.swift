import ErrandCryptography
import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Request content", .timeLimit(.hang))
struct RequestContentTests {
    /// Responds with the length and hash of streamed content.
    private static func describe(_ body: RequestBodyStream) async -> ServerResponse {
        var count = 0
        var hash = SHA256()
        do {
            for try await part in body {
                count += part.count
                hash.update(part)
            }
            return .text(description(count, hash.finish()))
        } catch {
            return .text("\(error)", status: .badRequest)
        }
    }

    /// Returns the response of ``describe(_:)`` to content.
    private static func description(of content: [UInt8]) -> String {
        description(content.count, SHA256.hash(content))
    }

    private static func description(_ count: Int, _ hash: [UInt8]) -> String { "\(count) \(hash)" }

    private let routes = [
        Route(.post, "/now") { _, _ in .immediate(.text("refused", status: .unauthorized)) },
        Route(.post, "/bodyless") { _, _ in .deferred { .text("bodyless") } },
        Route(.post, "/buffered") { _, _ in
            .buffered(limitBytes: 1000, tooLarge: { .text("too large", status: .contentTooLarge) }) { content in
                .immediate(.text("\(content.count)"))
            }
        },
        Route(.post, "/buffered-later") { _, _ in
            .buffered(limitBytes: 1000, tooLarge: { .text("too large", status: .contentTooLarge) }) { content in
                .deferred { .text(String(decoding: content, as: UTF8.self)) }
            }
        },
        Route(.post, "/streamed") { _, _ in .streamed(describe) },
        Route(.post, "/hasty") { _, _ in .streamed { _ in .text("hasty", status: .conflict) } },
        Route(.post, "/hasty-stream") { _, _ in
            .streamed { _ in
                let parts = Mutex<[[UInt8]]>([Array("one".utf8), Array("two".utf8)])
                return ServerResponse(
                    status: .ok,
                    body: .stream(ResponseStream { parts.withLock { $0.isEmpty ? nil : $0.removeFirst() } }))
            }
        },
    ]

    private static let megabyte = String(repeating: "A", count: 1 << 20)

    private func chunks(_ content: String, size: Int) -> String {
        var rest = content.utf8[...]
        var text = ""
        while !rest.isEmpty {
            let part = rest.prefix(size)
            rest = rest.dropFirst(size)
            text += String(part.count, radix: 16) + "\r\n" + (String(part) ?? "") + "\r\n"
        }
        return text + "0\r\n\r\n"
    }

    @Test("a content reaches its handler, with a length and in chunks, and the connection stays open")
    func buffered() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            for path in ["/buffered", "/buffered-later", "/streamed"] {
                let streamed = Self.description(of: Array("hello".utf8))
                let expected = ["/buffered": "5", "/buffered-later": "hello", "/streamed": streamed][path]
                #expect(try await client.exchange(post(path, "hello")).text == expected)
                #expect(try await client.exchange(postChunked(path) + chunks("hello", size: 2)).text == expected)
            }
            #expect(try await client.exchange(post("/buffered", "")).text == "0")
            #expect(try await client.exchange(postChunked("/buffered") + "0\r\n\r\n").text == "0")
            #expect(try await client.exchange(get("/buffered", method: "POST")).text == "0")
            #expect(try await client.exchange(post("/streamed", "")).text == Self.description(of: []))
        }
    }

    @Test("a small unwanted content is dropped")
    func dropped() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            for path in ["/now", "/bodyless"] {
                let text = path == "/now" ? "refused" : "bodyless"
                #expect(try await client.exchange(post(path, "hello")).text == text)
                #expect(try await client.exchange(postChunked(path) + chunks("hello", size: 2)).text == text)
            }
        }
    }

    @Test("a large unwanted content is rejected, and the client can read the reason")
    func refused() async throws {
        try await TestServer.with(routes: routes) { server in
            for (path, status) in [("/now", 401), ("/bodyless", 413), ("/buffered", 413)] {
                for request in [post(path, Self.megabyte), postChunked(path) + chunks(Self.megabyte, size: 10_000)] {
                    let client = try server.client()
                    let response = try await client.exchange(request)
                    #expect(response.status == status)
                    #expect(response["Connection"] == "close")
                    #expect(try await client.untilClosed().isEmpty)
                }
            }
        }
    }

    @Test("the limit of a collected content is exact")
    func limit() async throws {
        try await TestServer.with(routes: routes) { server in
            let full = String(repeating: "A", count: 1000)
            for size in [1, 7, 1000] {
                let client = try server.client()
                #expect(try await client.exchange(postChunked("/buffered") + chunks(full, size: size)).text == "1000")
                #expect(
                    try await client.exchange(postChunked("/buffered") + chunks(full + "A", size: size)).status == 413)
            }
            #expect(try await server.response(post("/buffered", full)).text == "1000")
            #expect(try await server.response(post("/buffered", full + "A")).text == "too large")
        }
    }

    @Test("a client that asks gets a 100 Continue, or a rejection before it has sent the content")
    func expectation() async throws {
        try await TestServer.with(routes: routes) { server in
            let expects = "Content-Length: 5\r\nExpect: 100-continue\r\n"
            for path in ["/buffered", "/buffered-later", "/streamed"] {
                let client = try server.client()
                #expect(try await client.exchange(get(path, expects, method: "POST")).status == 100)
                #expect(try await client.exchange("hello").status == 200)
                #expect(try await client.exchange(post("/buffered", "hello")).text == "5")
            }
            let refused = try server.client()
            #expect(try await refused.exchange(get("/now", expects, method: "POST")).status == 401)
            #expect(try await refused.untilClosed().isEmpty)
            let tooLarge = get("/buffered", "Content-Length: 1001\r\nExpect: 100-continue\r\n", method: "POST")
            #expect(try await server.response(tooLarge).status == 413)
            #expect(try await server.response(post("/buffered", "hello", "Expect: tea\r\n")).status == 417)
        }
    }

    @Test("a client that asks for a 100 Continue, and does not wait for it, can read a rejection")
    func impatience() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let head = get("/buffered", "Content-Length: 1000000\r\nExpect: 100-continue\r\n", method: "POST")
            try await client.send(head + String(repeating: "a", count: 500_000))
            #expect(try await client.response().status == 413)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("a large content streams through")
    func largeStream() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let content = String(repeating: Self.megabyte, count: 16)
            let expected = Self.description(of: Array(content.utf8))
            #expect(try await client.exchange(post("/streamed", content)).text == expected)
            #expect(
                try await client.exchange(postChunked("/streamed") + chunks(content, size: 1 << 20)).text == expected)
            #expect(try await client.exchange(post("/buffered", "hello")).text == "5")
        }
    }

    @Test("a handler that does not read blocks the client, and can read everything afterwards")
    func backPressure() async throws {
        let release = Signal<Void>()
        let route = Route(.post, "/slow") { _, _ in
            .streamed { body in
                await release.wait()
                return await Self.describe(body)
            }
        }
        try await TestServer.with(routes: [route]) { server in
            defer { release.send() }
            let total = 48 << 20
            let client = try server.client()
            try await client.send("POST /slow HTTP/1.1\r\nHost: test\r\nContent-Length: \(total)\r\n\r\n")
            let sent = try await server.sendUntilBlocked(on: client, limit: 32 << 20)
            #expect(sent < 32 << 20)
            release.send()
            let whole = [UInt8](repeating: 0, count: total)
            try await client.send(Array(whole.dropFirst(sent)))
            #expect(try await client.response().text == Self.description(of: whole))
        }
    }

    @Test("after an early response a short rest of the content is dropped, and a long one is rejected")
    func earlyResponse() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            #expect(try await client.exchange(post("/hasty", "hello")).text == "hasty")
            #expect(try await client.exchange(post("/hasty", "hello")).text == "hasty")
            #expect(try await client.exchange(post("/hasty-stream", Self.megabyte)).text == "onetwo")
            let large = String(repeating: Self.megabyte, count: 4)
            let response = try await client.exchange(post("/hasty", large))
            #expect(response.text == "hasty")
            #expect(response.status == 409)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("a stream fails once its handler has responded before the end of the content")
    func readingAfterResponse() async throws {
        let content = Signal<RequestBodyStream>()
        let route = Route(.post, "/") { _, _ in
            .streamed { body in
                content.send(body)
                return .text("early", status: .conflict)
            }
        }
        try await TestServer.with(routes: [route]) { server in
            let client = try server.client()
            try await client.send(get("/", "Content-Length: 6\r\n", method: "POST") + "abc")
            let body = await content.wait()
            await #expect(throws: RequestBodyError.canceled) { try await body.collect(limitBytes: 100) }
            try await client.send("def")
            #expect(try await client.response().text == "early")
        }
    }

    @Test("heads and targets that are too long are rejected")
    func tooLong() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxHeaderBytes = 4096
        configuration.limits.maxTargetBytes = 1000
        try await TestServer.with(
            configuration, routes: [Route(nil, "/{rest...}") { _, _ in .immediate(.text("fine")) }]
        ) {
            server in
            let target = "/" + String(repeating: "a", count: 999)
            #expect(try await server.response(get(target)).text == "fine")
            let tooLong = try await server.response(get(target + "a"))
            #expect(tooLong.status == 414)
            #expect(tooLong["Content-Type"] == "application/problem+json")
            #expect(tooLong.text.contains("/problems/target-too-long"))
            let field = "X: " + String(repeating: "a", count: 4000) + "\r\n"
            #expect(try await server.response(get("/a", field)).text == "fine")
            let tooLarge = try await server.response(
                get("/a", field + "Y: " + String(repeating: "b", count: 100) + "\r\n"))
            #expect(tooLarge.status == 431)
            #expect(tooLarge["Content-Type"] == "application/problem+json")
            #expect(tooLarge.text.contains("/problems/headers-too-large"))
            #expect(tooLarge.text.contains("4096 bytes"))
            #expect(tooLarge["Connection"] == "close")
            let huge = try server.client()
            let response = try await huge.exchange(get("/a", "X: " + String(repeating: "a", count: 100_000) + "\r\n"))
            #expect(response.status == 431)
        }
    }

    @Test("a handler can change the server's own problem responses")
    func ownRefusals() async throws {
        struct Handler: HTTPHandler {
            func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
                .deferred { ServerResponse(status: .init(code: 100)) }
            }
            func response(to problem: ProblemDetails) -> ServerResponse {
                .text("own \(problem.type.name)", status: problem.status)
            }
        }
        var configuration = ServerConfiguration.patient
        configuration.timeouts.bodyIdle = .milliseconds(100)
        try await TestServer.with(configuration, handler: Handler()) { server in
            let malformed = try await server.response("GET / HTTP/1.1\r\n\r\n")
            #expect(malformed.text == "own malformed-request")
            #expect(try await server.response(get("/")).text == "own internal-error")
            #expect(try await server.response(post("/", Self.megabyte)).text == "own content-too-large")
            #expect(try await server.response(postChunked("/") + "1\r\n").text == "own request-timeout")
        }
    }
}
