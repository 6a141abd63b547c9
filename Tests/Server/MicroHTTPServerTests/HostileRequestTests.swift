import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

// Serialized: a concurrent server for each of the many requests takes too many descriptors.
@Suite("Hostile requests", .timeLimit(.hang), .serialized)
struct HostileRequestTests {
    @Test(
        "a request ends at its declared end, or with the connection, and later bytes are never part of it",
        arguments: HostileRequest.all)
    func verdicts(request: HostileRequest) async throws {
        let recorder = RequestRecorder()
        try await TestServer.with(handler: recorder) { server in
            try await request.check(on: server.client())
        }
        request.check(recorder)
    }

    @Test(
        "the response to a request that is rejected in pieces follows those of earlier requests",
        arguments: [true, false])
    func refusalsInPieces(isSplit: Bool) async throws {
        let recorder = RequestRecorder()
        try await TestServer.with(handler: recorder) { server in
            for (name, bad) in [
                ("head", "GET /bad HTTP/1.1\r\nHost: test\r\n:\r\n\r\n"), ("line", "GET /bad HTTP/9.9\r\n\r\n"),
                ("chunk", postChunked("/bad") + "3\r\nabc\r\n5;\r\nhello\r\n0\r\n\r\n"),
                ("length", "GET /bad HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\n"),
            ] {
                let client = try server.client()
                let bytes = get("/first") + post("/second", "content") + bad
                for piece in isSplit ? bytes.utf8.map({ [$0] }) : [Array(bytes.utf8)] {
                    // Rejected before all of it was sent.
                    do { try await client.send(piece) } catch { break }
                }
                #expect(try await client.response().text == "/first ", "\(name)")
                #expect(try await client.response().text == "/second content", "\(name)")
                let refusal = try await client.response()
                #expect(refusal.status == (name == "line" ? 505 : 400), "\(name)")
                #expect(refusal["Content-Type"] == "application/problem+json", "\(name)")
                #expect(try await client.untilClosedOrReset().isEmpty, "\(name)")
            }
        }
        #expect(recorder.seen.withLock { $0.contents } == Array(repeating: ["", "content"], count: 4).flatMap(\.self))
    }

    @Test(
        "a HEAD request that is rejected before its head is complete gets no content, whole and in pieces",
        arguments: [true, false])
    func refusedHead(isSplit: Bool) async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxTargetBytes = 100
        try await TestServer.with(configuration, handler: RequestRecorder()) { server in
            for (request, status) in [
                ("HEAD / HTTP/1.1\r\nHost: test\r\n:\r\n\r\n", 400), ("HEAD / HTTP/9.9\r\n\r\n", 505),
                ("HEAD /\(String(repeating: "a", count: 200)) HTTP/1.1\r\nHost: test\r\n\r\n", 414),
            ] {
                let client = try server.client()
                for piece in isSplit ? request.utf8.map({ [$0] }) : [Array(request.utf8)] {
                    // Rejected before all of it was sent.
                    do { try await client.send(piece) } catch { break }
                }
                let refusal = try await client.response(isHead: true)
                #expect(refusal.status == status)
                #expect(try await client.untilClosedOrReset().isEmpty, "\(status)")
            }
        }
    }

    @Test("an absolute target determines the host and the path, whatever Host is")
    func absoluteForm() async throws {
        struct Handler: HTTPHandler {
            func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
                .immediate(.text("\(head.host ?? "-") \(head.target.path)"))
            }
        }
        try await TestServer.with(handler: Handler()) { server in
            for (target, seen) in [
                ("http://example.com:81/a?b", "example.com:81 /a"), ("HTTPS://[::1]?b", "[::1] /"), ("/a", "test /a"),
            ] {
                let response = try await server.response(get(target))
                #expect(response.text == seen)
            }
        }
    }

    @Test("each client gets its own responses, whatever others send")
    func otherClients() async throws {
        try await TestServer.with(handler: RequestRecorder()) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let client = try server.client()
                        for round in 0..<100 {
                            let path = "/\(number)-\(round)"
                            #expect(try await client.exchange(post(path, "\(round)")).text == "\(path) \(round)")
                        }
                    }
                }
                for number in 0..<4 {
                    group.addTask {
                        for (index, request) in HostileRequest.all.enumerated() where index % 4 == number {
                            let client = try server.client()
                            try await client.send(request.raw + HostileRequest.next)
                            client.finishSending()
                            let text = String(decoding: try await client.untilClosedOrReset(), as: UTF8.self)
                            #expect(!text.contains("/0-") && !text.contains("/3-"), "\(request.name)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "the target reaches the handler unchanged",
        arguments: [
            "/a%2Fb//c/../d?x=%26&y", "/%E2%82%AC", "/?", "//", "/a;b=1,2/!$&'()*+=:@~-._|{}[]^`\"<>\\",
        ])
    func rawTarget(target: String) async throws {
        let recorder = RequestRecorder()
        try await TestServer.with(handler: recorder) { server in
            let response = try await server.response(get(target))
            #expect(response.status == 200)
        }
        #expect(recorder.seen.withLock { $0.heads } == [target])
    }

    @Test("any number of pipelined requests, with and without content, get responses in order")
    func pipelining() async throws {
        try await TestServer.with(handler: RequestRecorder()) { server in
            let client = try server.client()
            let requests = (0..<200).map { number in
                switch number % 3 {
                case 0: get("/\(number)")
                case 1: post("/\(number)", "content of \(number)")
                default: postChunked("/\(number)") + "5\r\nchunk\r\n0\r\n\r\n"
                }
            }
            try await client.send(requests.joined())
            for number in 0..<200 {
                let content = ["", "content of \(number)", "chunk"][number % 3]
                #expect(try await client.response().text == "/\(number) \(content)")
            }
        }
    }
}
