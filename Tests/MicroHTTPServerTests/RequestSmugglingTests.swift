import HTTPServer
import HTTPTypes
import Locking
import MicroHTTPServer
import Support
import Testing

@Suite("Request smuggling", .timeLimit(.minutes(1)))
struct RequestSmugglingTests {
    /// Counts the requests that get through.
    private final class Recorder: HTTPHandler {
        let targets = Mutex<[String]>([])

        func admit(_ head: RequestHead) -> Admission {
            targets.withLock { $0.append(head.target.raw) }
            return .buffered(limitBytes: 1000, tooLarge: ServerResponse(status: .contentTooLarge)) { _ in
                .now(.text(""))
            }
        }
    }

    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: test\r\n\r\n"

    @Test(
        "an ambiguous request is answered with one 400, and nothing after it is read as a request",
        arguments: [
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length : 34\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nX: 1\r\n Content-Length: 34\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nX: a\u{1}b\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a/../b\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /a%00b/.. HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /%C0%AF HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /a\u{7F} HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /a#b HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET http://test/ HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET * HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET relative HTTP/1.1\r\nHost: test\r\n\r\n",
            "G@T / HTTP/1.1\r\nHost: test\r\n\r\n",
        ])
    func refused(request: String) async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let client = try server.client()
            try await client.send(request + Self.hidden)
            client.finishSending()
            let answer = try await client.answer()
            #expect(answer.status == 400)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer["Connection"] == "close")
            #expect(try await client.untilClosed().isEmpty)
        }
        #expect(recorder.targets.withLock { $0 } == [])
    }

    @Test("an unknown method is a 501, and CONNECT is one", arguments: ["FOO", "get", "CONNECT", "PROPFIND"])
    func unknownMethod(method: String) async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let answer = try await server.answer("\(method) / HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(answer.status == 501)
        }
        #expect(recorder.targets.withLock { $0 } == [])
    }

    @Test(
        "what libmicrohttpd itself refuses hides nothing either",
        arguments: [
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3x\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
            "GET / HTTP/2.0\r\nHost: test\r\n\r\n",
            "GET /\r\nHost: test\r\n\r\n",
            "GET\r\n\r\n",
            "\u{1}\u{2}\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}\n",
        ])
    func refusedByTheLibrary(request: String) async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let client = try server.client()
            try await client.send(request + Self.hidden)
            client.finishSending()
            let text = String(decoding: try await client.untilClosedOrReset(), as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4") || text.hasPrefix("HTTP/1.1 505"))
            #expect(!text.contains("HTTP/1.1 200"))
        }
        #expect(recorder.targets.withLock { !$0.contains("/hidden") })
    }

    @Test(
        "the target reaches the handler as it was sent",
        arguments: [
            "/a%2Fb//c/../d?x=%26&y", "/%E2%82%AC", "/?", "//", "/a;b=1,2/!$&'()*+=:@~-._|{}[]^`\"<>\\",
        ])
    func rawTarget(target: String) async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let answer = try await server.answer(get(target))
            #expect(answer.status == 200)
        }
        #expect(recorder.targets.withLock { $0 } == [target])
    }

    @Test("a content of chunks with extensions and trailers is one content, and the next request follows")
    func chunks() async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let client = try server.client()
            try await client.send(
                postChunked("/") + "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: trailer\r\n\r\n" + get("/next"))
            #expect(try await client.answer().status == 200)
            #expect(try await client.answer().status == 200)
        }
        #expect(recorder.targets.withLock { $0 } == ["/", "/next"])
    }
}
