import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import HTTPTypes
import Testing

import struct Synchronization.Atomic

@testable import MicroHTTPServer

@Suite("Streamed responses", .timeLimit(.hang))
struct StreamedResponseTests {
    private struct Fault: Error {}

    /// Returns a stream of `count` parts of `size` bytes that then ends or fails.
    private static func parts(
        _ count: Int, of size: Int, length: Int64? = nil, failing: Bool = false
    ) -> ServerResponse {
        let left = Mutex(count)
        return ServerResponse(
            status: .ok,
            body: .stream(
                ResponseStream(length: length) {
                    await Task.yield()
                    let goesOn = left.withLock { left in
                        defer { left -= 1 }
                        return left > 0
                    }
                    guard !goesOn else { return [UInt8](repeating: 66, count: size) }
                    if failing { throw Fault() }
                    return nil
                }))
    }

    private static func route(_ path: String, _ response: @escaping @Sendable () -> ServerResponse) -> Route {
        Route(.get, path) { _, _ in .immediate(response()) }
    }

    /// Returns the route `/events` of streams with one part, which wait after it until they are canceled.
    private static func events(
        onWait: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void = {}
    ) -> Route {
        route("/events") {
            let first = Mutex(true)
            return ServerResponse(
                status: .ok,
                body: .stream(
                    ResponseStream {
                        let isFirst = first.withLock { first in
                            defer { first = false }
                            return first
                        }
                        if isFirst { return Array("data".utf8) }
                        onWait()
                        await untilCanceled()
                        onCancel()
                        return nil
                    }))
        }
    }

    private let routes = [
        route("/chunked") { parts(100, of: 1000) },
        route("/large") { parts(10, of: 1_000_000) },
        route("/empty") { parts(0, of: 1) },
        route("/empty-parts") {
            let pieces = Mutex<[[UInt8]]>([[], [1], [], [], [2], []])
            return ServerResponse(
                status: .ok,
                body: .stream(ResponseStream { pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() } }))
        },
        route("/length") { parts(100, of: 1000, length: 100_000) },
        route("/no-length") { parts(1, of: 1000, length: 0) },
        route("/too-short") { parts(99, of: 1000, length: 100_000) },
        route("/too-long") { parts(200, of: 1000, length: 100_000) },
        route("/failing") { parts(10, of: 1000, failing: true) },
        route("/failing-length") { parts(10, of: 1000, length: 100_000, failing: true) },
    ]

    @Test("a stream without a length is chunked, one with a length is not, and the connection stays open")
    func streams() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let chunked = try await client.exchange(get("/chunked"))
            #expect(chunked["Transfer-Encoding"] == "chunked" && chunked["Content-Length"] == nil)
            #expect(chunked.body.count == 100_000)
            #expect(try await client.exchange(get("/large")).body.count == 10_000_000)
            #expect(try await client.exchange(get("/empty")).body.isEmpty)
            #expect(try await client.exchange(get("/empty-parts")).body == [1, 2])
            let length = try await client.exchange(get("/length"))
            #expect(length["Transfer-Encoding"] == nil && length["Content-Length"] == "100000")
            #expect(length.body == [UInt8](repeating: 66, count: 100_000))
            #expect(try await client.exchange(get("/no-length"))["Content-Length"] == "0")
            #expect(try await client.exchange(get("/too-long")).body.count == 100_000)
            #expect(try await client.exchange(get("/chunked")).body.count == 100_000)
        }
    }

    @Test("HTTP/1.0 gets a stream without chunks that ends with the connection")
    func http10() async throws {
        try await TestServer.with(routes: routes) { server in
            let response = try await server.response("GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(response["Transfer-Encoding"] == nil && response["Content-Length"] == nil)
            #expect(response["Connection"] == "close")
            #expect(response.body.count == 100_000)
        }
    }

    @Test("a handler learns whether the client reads chunks", arguments: ["1.0", "1.1"])
    func acceptsChunks(version: String) async throws {
        let route = Route(.get, "/") { head, _ in .immediate(.text("\(head.acceptsChunks)")) }
        try await TestServer.with(routes: [route]) { server in
            let response = try await server.response("GET / HTTP/\(version)\r\nHost: test\r\n\r\n")
            #expect(response.text == "\(version != "1.0")")
        }
    }

    @Test(
        "HEAD does not start the stream, and its response has no content",
        arguments: [
            ("/chunked", nil), ("/length", "100000"),
        ])
    func head(path: String, length: String?) async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let response = try await client.exchange(get(path, method: "HEAD"), isHead: true)
            #expect(response.status == 200)
            #expect(response["Content-Length"] == length)
            if length == nil {
                #expect(response["Connection"] == "close")
                #expect(try await client.untilClosed().isEmpty)
            } else {
                #expect(try await client.exchange(get("/empty")).status == 200)
            }
        }
    }

    @Test(
        "a stream that fails or is too short ends the connection in a way that the client detects",
        arguments: [
            ("/failing", 10_000), ("/failing-length", 10_000), ("/too-short", 99_000),
        ])
    func failures(path: String, bytes: Int) async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            try await client.send(get(path))
            let text = String(decoding: try await client.untilClosed(), as: UTF8.self)
            #expect(text.count { $0 == "B" } == bytes)
            #expect(!text.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test(
        "a stream that ends early, or is for HTTP/1.0, closes its connection also while an older one is idle",
        arguments: ["/failing", "/failing-length", "/too-short"])
    func failuresBesideOthers(path: String) async throws {
        try await TestServer.with(routes: routes) { server in
            let idle = try server.client()
            #expect(try await idle.exchange(get("/empty")).status == 200)
            let client = try server.client()
            try await client.send(get(path))
            #expect(try await !client.untilClosed().isEmpty)
            await server.waitUntilConnections(1)
            let former = try await server.response("GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(former.body.count == 100_000)
            await server.waitUntilConnections(1)
            #expect(try await idle.exchange(get("/empty")).status == 200)
        }
    }

    @Test("no more parts are made for a blocked reader, and it is disconnected after the time limit")
    func slowReader() async throws {
        var configuration = ServerConfiguration.patient
        configuration.timeouts.sendIdle = .milliseconds(500)
        let made = Atomic<Int>(0)
        let ended = Signal<Void>()
        let route = Self.route("/endless") {
            // Released with the last reference to the stream.
            let tail = ReleaseSignal(ended)
            return ServerResponse(
                status: .ok,
                body: .stream(
                    ResponseStream { [tail] in
                        _ = tail
                        made.wrappingAdd(1 << 20, ordering: .relaxed)
                        return [UInt8](repeating: 0, count: 1 << 20)
                    }))
        }
        try await TestServer.with(configuration, routes: [route]) { server in
            let client = try server.client(receiveBufferBytes: 16 * 1024)
            try await client.send(get("/endless"))
            await ended.wait()
            #expect(made.load(ordering: .relaxed) <= 32 << 20)
            withExtendedLifetime(client) {}
        }
    }

    @Test("a client that disconnects ends its stream, also while it waits for its next part")
    func leaving() async throws {
        let waits = Signal<Void>()
        let canceled = Signal<Void>()
        let route = Self.events(onWait: { waits.send() }, onCancel: { canceled.send() })
        for resets in [false, true] {
            try await TestServer.with(routes: [route]) { server in
                let client = try server.client()
                try await client.send(get("/events"))
                await waits.wait()
                if resets { client.reset() } else { client.close() }
                await canceled.wait()
            }
        }
    }

    @Test("a client that closes only its sending side ends its stream")
    func halfClosed() async throws {
        let (waits, canceled) = (Signal<Void>(), Signal<Void>())
        let route = Self.events(onWait: { waits.send() }, onCancel: { canceled.send() })
        try await TestServer.with(routes: [route]) { server in
            let client = try server.client()
            try await client.send(get("/events"))
            await waits.wait()
            client.finishSending()
            await canceled.wait()
            let received = String(decoding: try await client.untilClosedOrReset(), as: UTF8.self)
            #expect(received.hasPrefix("HTTP/1.1 200 "))
            #expect(!received.hasSuffix("0\r\n\r\n"), "no last chunk")
        }
    }

    @Test("a client that leaves its stream costs nothing more, also while an older connection is idle")
    func leavingBesideOthers() async throws {
        let waits = EventLog<Void>()
        let route = Self.events(onWait: { waits.append() })
        try await TestServer.with(routes: routes + [route]) { server in
            let idle = try server.client()
            #expect(try await idle.exchange(get("/empty")).status == 200)
            for (number, resets) in [false, true, false].enumerated() {
                let client = try server.client()
                try await client.send(get("/events"))
                _ = await waits.first(number + 1)
                if resets { client.reset() } else { client.close() }
                await server.waitUntilConnections(1)
            }
            let turns = server.server.turns
            for _ in 0..<10 { #expect(try await idle.exchange(get("/empty")).status == 200) }
            #expect(server.server.turns - turns < 200)
        }
    }
}
