import ErrandHTTPServer
import ErrandLogs
import ErrandSupport
import Foundation
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Unix sockets", .timeLimit(.hang))
struct UnixSocketTests {
    private let routes = [
        Route(.get, "/now") { _, _ in .immediate(.text("now")) },
        Route(.get, "/later") { _, _ in .deferred { .text("later") } },
        Route(.get, "/peer") { head, _ in
            .immediate(.text("\(head.remoteAddress);\(head.clientCertificate ?? "anonymous")"))
        },
        Route(.get, "/large") { _, _ in
            .deferred { ServerResponse(status: .ok, body: .bytes([UInt8](repeating: 65, count: 5_000_000))) }
        },
        Route(.post, "/buffered") { _, _ in
            .buffered(limitBytes: 1 << 20, tooLarge: { .text("too large", status: .contentTooLarge) }) {
                .immediate(.text("\($0.count)"))
            }
        },
    ]

    private func configuration(_ path: String, mode: UInt16 = 0o600) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.listeners = [.unix(path: path, mode: mode)]
        return configuration
    }

    /// Returns the error of a server that cannot start on a socket.
    private func startFailure(_ path: String, mode: UInt16 = 0o600) async -> MicroHTTPServerError? {
        await TestServer.startFailure(configuration(path, mode: mode))
    }

    private func permissions(_ path: String) -> UInt16? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return UInt16(status.st_mode & 0o777)
    }

    @Test("a socket works like a port, and has no addresses")
    func serves() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        try await TestServer.with(configuration(path), routes: routes) { server in
            #expect(await server.server.addresses == [.unix(path: path, mode: 0o600)])
            let client = try RawHTTPClient(unixSocket: path)
            for _ in 0..<3 {
                #expect(try await client.exchange(get("/now")).text == "now")
                #expect(try await client.exchange(get("/later")).text == "later")
            }
            #expect(try await client.exchange(get("/peer")).text == ";anonymous")
            #expect(try await client.exchange(get("/large")).body.count == 5_000_000)
            let content = String(repeating: "x", count: 1 << 20)
            #expect(try await client.exchange(post("/buffered", content)).text == "\(1 << 20)")
            #expect(try await client.exchange(post("/buffered", content + "x")).status == 413)
            #expect(try await client.untilClosedOrReset().isEmpty)
        }
    }

    @Test("deadlines apply to a socket too, and rejections can be read")
    func deadlines() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        var configuration = configuration(path)
        configuration.timeouts.header = .milliseconds(200)
        try await TestServer.with(configuration, routes: routes) { _ in
            let silent = try RawHTTPClient(unixSocket: path)
            #expect(try await silent.untilClosed().isEmpty)
        }
        // A server of its own: the head has its time on a busy machine.
        configuration = self.configuration(path)
        configuration.timeouts.bodyIdle = .milliseconds(200)
        try await TestServer.with(configuration, routes: routes) { _ in
            let slow = try RawHTTPClient(unixSocket: path)
            #expect(try await slow.exchange(postChunked("/buffered") + "3\r\na").status == 408)
        }
    }

    @Test("its clients have no address, and so no limit for each address")
    func limitPerAddress() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        var configuration = configuration(path)
        configuration.limits.maxConnectionsPerAddress = 1
        try await TestServer.with(configuration, routes: routes) { _ in
            let clients = try (0..<3).map { _ in try RawHTTPClient(unixSocket: path) }
            for client in clients {
                #expect(try await client.exchange(get("/now")).text == "now")
            }
        }
    }

    @Test(
        "the file has its mode, whatever the process masks, and goes with the server", arguments: [0o600, 0o660, 0o666])
    func modes(mode: UInt16) async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        try await TestServer.with(configuration(path, mode: mode), routes: routes) { _ in
            #expect(permissions(path) == mode)
        }
        #expect(permissions(path) == nil)
    }

    @Test("the socket of a dead process is replaced, that of a running one is not")
    func stale() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        // Closing a socket leaves its file, as the end of a killed process does.
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(dead)
        #expect(permissions(path) != nil)
        try await TestServer.with(configuration(path), routes: routes) { _ in
            let failure = await startFailure(path)
            #expect(failure?.code == .cannotListen)
            #expect(failure?.errorNumber == EADDRINUSE)
            #expect(failure?.description.contains("unix:\(path)") == true)
            let client = try RawHTTPClient(unixSocket: path)
            #expect(try await client.exchange(get("/now")).text == "now")
        }
    }

    @Test("other files stay unchanged, and a link is not followed")
    func otherFiles() async throws {
        let folder = try TemporaryFolder()
        let file = folder["file"]
        try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
        #expect(await startFailure(file)?.code == .notASocket)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        let link = folder["link"]
        #expect(symlink(folder["nowhere"], link) == 0)
        #expect(await startFailure(link)?.code == .notASocket)
        #expect(permissions(folder["nowhere"]) == nil)
        let path = folder["a.sock"]
        try await TestServer.with(configuration(path), routes: routes) { _ in
            let link = folder["to-socket"]
            #expect(symlink(path, link) == 0)
            #expect(await startFailure(link)?.code == .notASocket)
        }
        #expect(await startFailure(folder.path)?.code == .notASocket)
    }

    @Test("an invalid path or mode is an error")
    func invalid() async throws {
        let folder = try TemporaryFolder()
        #expect(await startFailure("")?.code == .invalidAddress)
        #expect(await startFailure(folder["a\0b"])?.code == .invalidAddress)
        let room = 107 - folder.path.utf8.count - 1
        let longest = folder[String(repeating: "a", count: room)]
        #expect(await startFailure(longest) == nil)
        #expect(await startFailure(longest + "a")?.code == .invalidAddress)
        #expect(await startFailure(folder["a.sock"], mode: 0o4777)?.code == .invalidAddress)
        let missing = await startFailure(folder["missing/a.sock"])
        #expect(missing?.code == .cannotListen)
        #expect(missing?.errorNumber == ENOENT)
    }

    @Test("a successor's socket is not removed")
    func successor() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        try await TestServer.with(configuration(path), routes: routes) { first in
            #expect(unlink(path) == 0)
            try await TestServer.with(configuration(path), routes: routes) { _ in
                await first.server.shutdown(drain: .zero)
                let client = try RawHTTPClient(unixSocket: path)
                #expect(try await client.exchange(get("/now")).text == "now")
            }
        }
        #expect(permissions(path) == nil)
    }

    @Test("a server that cannot start on its other address leaves no file")
    func halfStarted() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        let server = MicroHTTPServer(
            configuration: ServerConfiguration(
                listeners: [.unix(path: path, mode: 0o600), ListenAddress(host: "192.0.2.1")]),
            handler: try Router(routes: []), logger: .discarding)
        await #expect(throws: MicroHTTPServerError.self) { try await server.start() }
        #expect(permissions(path) == nil)
    }

    @Test("certificates are checked although no socket uses them")
    func certificates() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        var configuration = configuration(path)
        configuration.tls = ServerConfiguration.TLS(certificateChain: Array("hello".utf8), privateKey: [])
        let failure = await TestServer.startFailure(configuration)
        #expect(failure?.code == .invalidCertificate)
        #expect(permissions(path) == nil)
        configuration.tls = try .test()
        try await TestServer.with(configuration, routes: routes) { server in
            let client = try RawHTTPClient(unixSocket: path)
            #expect(try await client.exchange(get("/now")).text == "now")
            let error = await #expect(throws: MicroHTTPServerError.self) {
                try await server.server.replaceTLS(
                    with: ServerConfiguration.TLS(certificateChain: Array("hello".utf8), privateKey: []))
            }
            #expect(error?.code == .invalidCertificate)
        }
    }

    @Test("with client certificates, ports request them and a socket does not")
    func besidePorts() async throws {
        let folder = try TemporaryFolder()
        let path = folder["a.sock"]
        let authority = try TestCertificate("CN=authority", .authority)
        let certificate = try TestCertificate("CN=me", .client, issuer: authority)
        var configuration = ServerConfiguration.patient
        configuration.listeners = [ListenAddress(), .unix(path: path, mode: 0o600), ListenAddress()]
        configuration.tls = try .test(clientAuthorities: try authority.pem())
        try await TestServer.with(configuration, routes: routes) { server in
            let addresses = await server.server.addresses
            try #require(addresses.count == 3)
            let local = try RawHTTPClient(unixSocket: path)
            #expect(try await local.exchange(get("/peer")).text == ";anonymous")
            for port in addresses.compactMap(\.port) {
                let known = try await RawHTTPClient.tls(port: port, certificate: certificate)
                #expect(try await known.exchange(get("/peer")).text == "127.0.0.1;CN=me")
                let unknown = try await RawHTTPClient.tls(port: port)
                #expect(try await unknown.exchange(get("/peer")).status == 403)
            }
            #expect(try await local.exchange(get("/later")).text == "later")
        }
    }
}
