import ErrandHTTPServer
import ErrandSupport
import Glibc
import HTTPTypes
import Logging
import MicroHTTPServer
import Synchronization
import Testing

@Suite("MicroHTTPServer", .timeLimit(.hang))
struct MicroHTTPServerTests {
    private let routes = [
        Route(.get, "/now") { _, _ in .immediate(.text("now")) },
        Route(.get, "/later") { _, _ in .deferred { .text("later") } },
        Route(.get, "/peer") { head, _ in .immediate(.text(head.remoteAddress)) },
        Route(.get, "/fields") { head, _ in
            .immediate(.text(head.headers.map { "\($0.name.rawName)=\($0.value)" }.joined(separator: ";")))
        },
        Route(.get, "/empty") { _, _ in .deferred { ServerResponse(status: .noContent) } },
        Route(.get, "/unchanged") { _, _ in .immediate(ServerResponse(status: .notModified, headers: [.eTag: "\"1\""]))
        },
        Route(.get, "/unchanged-10") { _, _ in
            .immediate(ServerResponse(status: .notModified, body: .bytes([UInt8](repeating: 65, count: 10))))
        },
        Route(.get, "/large") { _, _ in
            .deferred { ServerResponse(status: .ok, body: .bytes([UInt8](repeating: 65, count: 5_000_000))) }
        },
        Route(.get, "/interim") { _, _ in .immediate(ServerResponse(status: .init(code: 102))) },
        Route(.get, "/own-framing") { _, _ in
            let headers: HTTPFields = [
                .contentLength: "3", .transferEncoding: "chunked", .connection: "close", .date: "now", .server: "x",
            ]
            return .immediate(ServerResponse(status: .ok, headers: headers, body: .bytes(Array("hello".utf8))))
        },
        Route(.get, "/missing-file") { _, _ in
            let region = FileRegion(path: "/nonexistent/file", offset: 0, length: 10)
            return .immediate(ServerResponse(status: .ok, body: .file(region)))
        },
    ]

    @Test("immediate and deferred responses work on one connection")
    func answers() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            for _ in 0..<3 {
                #expect(try await client.exchange(get("/now")).text == "now")
                #expect(try await client.exchange(get("/later")).text == "later")
            }
            let response = try await client.exchange(get("/now"))
            #expect(response.status == 200)
            #expect(response["Content-Type"] == "text/plain")
            #expect(response["Content-Length"] == "3")
            #expect(response["Date"] != nil)
            #expect(response["Connection"] == nil)
            #expect(server.server.statistics.requests == 7)
            #expect(server.server.statistics.connections == 1)
        }
    }

    @Test("pipelined requests get responses in order", arguments: [1, 2, 50])
    func pipelining(pairs: Int) async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            try await client.send(String(repeating: get("/later") + get("/now"), count: pairs))
            for _ in 0..<pairs {
                #expect(try await client.response().text == "later")
                #expect(try await client.response().text == "now")
            }
        }
    }

    @Test("a request may arrive byte by byte")
    func byteByByte() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            for byte in get("/later", "X-A: 1\r\n").utf8 {
                try await client.send([byte])
            }
            #expect(try await client.response().text == "later")
        }
    }

    @Test(
        "HEAD has the header of GET and no content", arguments: [("/now", "3"), ("/later", "5"), ("/large", "5000000")])
    func head(path: String, length: String) async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let response = try await client.exchange(get(path, method: "HEAD"), isHead: true)
            #expect(response.status == 200)
            #expect(response["Content-Length"] == length)
            #expect(try await client.exchange(get("/now")).text == "now")
        }
    }

    @Test("a 204 has no length, a 304 that of the content or none, and neither has content")
    func withoutContent() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let empty = try await client.exchange(get("/empty"))
            #expect(empty.status == 204)
            #expect(empty["Content-Length"] == nil && empty["Transfer-Encoding"] == nil)
            #expect(try await client.exchange(get("/unchanged-10"))["Content-Length"] == "10")
            let unchanged = try await client.exchange(get("/unchanged"))
            #expect(unchanged.status == 304)
            #expect(unchanged["ETag"] == "\"1\"")
            #expect(unchanged["Content-Length"] == nil && unchanged["Transfer-Encoding"] == nil)
            #expect(unchanged["Connection"] == "close")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("a large response arrives completely")
    func large() async throws {
        try await TestServer.with(routes: routes) { server in
            let response = try await server.response(get("/large"))
            #expect(response.body.count == 5_000_000)
            #expect(response.body.allSatisfy { $0 == 65 })
        }
    }

    @Test("an HTTP/1.0 connection closes unless the client asks to keep it, and needs no Host")
    func http10() async throws {
        try await TestServer.with(routes: routes) { server in
            let kept = try server.client()
            let first = try await kept.exchange("GET /now HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(first["Connection"] == "Keep-Alive")
            let second = try await kept.exchange("GET /later HTTP/1.0\r\n\r\n")
            #expect(second.text == "later")
            #expect(second["Connection"] == "close")
            #expect(try await kept.untilClosed().isEmpty)
        }
    }

    @Test("Connection: close closes the connection after the response")
    func closing() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            #expect(try await client.exchange(get("/later", "Connection: close\r\n"))["Connection"] == "close")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("the fields of a request keep their order, spelling and repetitions")
    func fields() async throws {
        try await TestServer.with(routes: routes) { server in
            let response = try await server.response(get("/fields", "X-b: 1\r\nx-B:  2 \t\r\nEmpty:\r\nUTF: ä\r\n"))
            #expect(response.text == "Host=test;X-b=1;x-B=2;Empty=;UTF=ä")
            let latin1 = try server.client()
            try await latin1.send(
                Array("GET /fields HTTP/1.1\r\nHost: h\r\nL: ".utf8) + [0xE4] + Array("\r\n\r\n".utf8))
            #expect(try await latin1.response().text == "Host=h;L=ä")
        }
    }

    @Test("the server sets the framing of a response, whatever the handler sets")
    func framing() async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let response = try await client.exchange(get("/own-framing"))
            #expect(response.text == "hello")
            #expect(response["Transfer-Encoding"] == nil && response["Connection"] == nil)
            #expect(response["Date"] != "now")
            #expect(response["Server"] == "x")
            #expect(try await client.exchange(get("/now")).text == "now")
        }
    }

    @Test("a response that cannot be sent becomes a 500", arguments: ["/interim", "/missing-file"])
    func unsendable(path: String) async throws {
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            let response = try await client.exchange(get(path))
            #expect(response.status == 500)
            #expect(response.text.contains("/problems/internal-error"))
            #expect(!response.text.contains("nonexistent"))
            #expect(try await client.exchange(get("/now")).text == "now")
        }
    }

    @Test("a response whose file is missing becomes what its handler wants, which is no error; other faults are a 500")
    func missingFile() async throws {
        func route(_ pattern: String, file path: String) -> Route {
            let region = FileRegion(path: path, offset: 0, length: 10) { response in
                response.status = .notFound
                response.headers[.eTag] = nil
                response.body = .bytes(Array("removed".utf8))
            }
            let response = ServerResponse(status: .ok, headers: [.eTag: "\"1\"", .server: "x"], body: .file(region))
            return Route(.get, pattern) { _, _ in .deferred { response } }
        }
        let router = try Router(routes: [
            route("/removed", file: "/nonexistent/file"), route("/short", file: "/dev/null"),
        ])
        let log = RecordedLog()
        try await TestServer.with(handler: router, logger: log.logger) { server in
            let client = try server.client()
            let removed = try await client.exchange(get("/removed"))
            #expect(removed.status == 404)
            #expect(removed.text == "removed")
            #expect(removed["Server"] == "x")
            #expect(removed["ETag"] == nil)
            let head = try await client.exchange(get("/removed", method: "HEAD"), isHead: true)
            #expect(head.status == 200, "no file is opened")
            #expect(try await client.exchange(get("/short")).status == 500)
        }
        let lines = log.lines.filter { $0.level >= .notice }
        #expect(lines.map(\.message) == ["The file of a response is missing", "Cannot send a response"])
        #expect(lines.map(\.level) == [.notice, .error])
        #expect(lines.first?["path"] == "/nonexistent/file")
    }

    @Test("a part of a file is sent, and not beyond its end")
    func files() async throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(folder)/micro-http-server-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        #expect(write(descriptor, content, content.count) == content.count)
        close(descriptor)
        defer { unlink(path) }
        func route(_ pattern: String, _ offset: Int64, _ length: Int64) -> Route {
            Route(.get, pattern) { _, _ in
                let region = FileRegion(path: path, offset: offset, length: length)
                return .deferred { ServerResponse(status: .ok, body: .file(region)) }
            }
        }
        let routes = [
            route("/all", 0, 300_000), route("/part", 1000, 250_000), route("/none", 0, 0),
            route("/beyond", 1, 300_000),
            route("/before", -1, 10),
        ]
        try await TestServer.with(routes: routes) { server in
            let client = try server.client()
            #expect(try await client.exchange(get("/all")).body == content)
            #expect(try await client.exchange(get("/part")).body == Array(content[1000..<251_000]))
            #expect(try await client.exchange(get("/part", method: "HEAD"), isHead: true)["Content-Length"] == "250000")
            #expect(try await client.exchange(get("/none")).body.isEmpty)
            #expect(try await client.exchange(get("/beyond")).status == 500)
            #expect(try await client.exchange(get("/before")).status == 500)
        }
    }

    @Test("a server can listen on IPv4 and IPv6, on free ports that it reports")
    func listeners() async throws {
        var configuration = ServerConfiguration.patient
        configuration.listeners = [ListenAddress(), ListenAddress(host: "::1")]
        try await TestServer.with(configuration, routes: routes) { server in
            let addresses = await server.server.addresses
            try #require(addresses.count == 2)
            for (address, host) in zip(addresses, ["127.0.0.1", "::1"]) {
                let port = try #require(address.port)
                #expect(port != 0)
                #expect(address == ListenAddress(host: host, port: port))
                let client = try RawHTTPClient(port: port, host: host)
                #expect(try await client.exchange(get("/peer")).text == host)
            }
        }
    }

    @Test("a server that cannot listen reports the reason")
    func startErrors() async throws {
        func start(_ addresses: [ListenAddress]) async -> MicroHTTPServerError? {
            await TestServer.startFailure(ServerConfiguration(listeners: addresses))
        }
        #expect(await start([])?.code == .invalidAddress)
        #expect(await start([ListenAddress(host: "localhost")])?.code == .invalidAddress)
        #expect(await start([ListenAddress(host: "192.0.2.1")])?.code == .cannotListen)
        try await TestServer.with(routes: routes) { server in
            let taken = ListenAddress(port: server.port)
            let error = await start([ListenAddress(), taken])
            #expect(error?.code == .cannotListen)
            #expect(error?.address == taken)
            #expect(error?.errorNumber == EADDRINUSE)
            #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
            await #expect(throws: MicroHTTPServerError.self) { try await server.server.start() }
        }
    }
}
