import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Foundation
import HTTPTypes
import Testing

@Suite("CurlEngine: proxies", .timeLimit(.hang))
struct ProxyTests {
    /// `user name` and `p@ss:w/rd%` as encoded in a URL.
    private static let userInfo = "user%20name:p%40ss%3Aw%2Frd%25"
    private static let credentials = Data("user name:p@ss:w/rd%".utf8).base64EncodedString()

    /// An HTTP proxy that requires these credentials and connects every client to one port of this host, whatever it
    /// asks for.
    private static func tunnelling(to port: UInt16) -> ScriptedServer.Script {
        { connection in
            let request = try connection.readRequest()
            guard request["Proxy-Authorization"] == "Basic \(credentials)" else {
                try connection.respond("407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"x\""])
                return connection.waitForClose()
            }
            guard request.line.hasPrefix("CONNECT ") else { return try connection.respond(body: "from the proxy") }
            try connection.relay(to: port, greeting: Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))
        }
    }

    /// A SOCKS 5 proxy (RFC 1928) that connects every client to one port of this host.
    ///
    /// It requires a name and a password (RFC 1929), or neither. The requested destinations are recorded as the heads
    /// of requests: `address type:address:port`.
    private static func socks(to port: UInt16, password: String?) -> ScriptedServer.Script {
        { connection in
            let methods = try connection.read(Int(try connection.read(2)[1]))
            if let password {
                guard methods.contains(2) else { return try connection.send([5, 0xFF]) }
                try connection.send([5, 2])
                let name = try connection.read(Int(try connection.read(2)[1]))
                let secret = try connection.read(Int(try connection.read(1)[0]))
                let isGood = String(decoding: name + [0x3A] + secret, as: UTF8.self) == password
                try connection.send([1, isGood ? 0 : 1])
                guard isGood else { return }
            } else {
                try connection.send([5, 0])
            }
            let kind = try connection.read(4)[3]
            let address = try connection.read(kind == 3 ? Int(try connection.read(1)[0]) : 4)
            _ = try connection.read(2)
            let text =
                kind == 3 ? String(decoding: address, as: UTF8.self) : address.map(String.init).joined(separator: ".")
            connection.record("\(kind):\(text)")
            try connection.relay(to: port, greeting: [5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
        }
    }

    /// Runs `body` with a proxy, and options for using it with `userInfo`.
    private func withProxy(
        _ script: @escaping ScriptedServer.Script, scheme: String = "http", userInfo: String? = nil,
        fixedAddresses: [FixedAddress] = [], tls: TLSOptions = TLSOptions(),
        _ body: (ScriptedServer, CurlSession) async throws -> Void
    ) async throws {
        let proxy = try ScriptedServer(script)
        defer { proxy.stop() }
        let url = "\(scheme)://\(userInfo.map { "\($0)@" } ?? "")127.0.0.1:\(proxy.port)"
        try await withSession(ConnectionOptions(proxy: url, fixedAddresses: fixedAddresses, tls: tls)) {
            try await body(proxy, $0)
        }
    }

    @Test("an HTTP proxy receives the whole URL and the decoded credentials")
    func forward() async throws {
        try await withProxy(Self.tunnelling(to: 9), userInfo: Self.userInfo) { proxy, session in
            let request = TransferRequest(url: try HTTPURL("http://example.test/x?y"), headers: [.authorization: "Z"])
            let (outcome, text) = await session.perform(request)
            #expect(outcome.error == nil)
            #expect(text == "from the proxy")
            let seen = await proxy.requests.first(1)[0]
            #expect(seen.line == "GET http://example.test/x?y HTTP/1.1")
            #expect(seen["Authorization"] == "Z")
        }
    }

    @Test(
        "https goes through a tunnel, in which the proxy sees no part of the request",
        .enabled(if: NginxServer.isInstalled))
    func tunnel() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        let tls = try server.certificates.tls()
        try await withProxy(Self.tunnelling(to: server.securePort), userInfo: Self.userInfo, tls: tls) {
            proxy, session in
            let request = TransferRequest(
                url: try HTTPURL("https://127.0.0.1:\(server.securePort)/"), headers: [.authorization: "secret"])
            for index in 0..<2 {
                let (outcome, text) = await session.perform(request)
                #expect(outcome.error == nil)
                #expect(text == "hello")
                #expect(outcome.head?.version == "2")
                #expect(outcome.metrics.connectionReused == (index > 0))
            }
            let seen = proxy.requests.events
            #expect(seen.map(\.line) == ["CONNECT 127.0.0.1:\(server.securePort) HTTP/1.1"])
            #expect(seen[0]["Authorization"] == nil)
            #expect(seen[0]["Proxy-Authorization"] == "Basic \(Self.credentials)")
        }
    }

    @Test("a proxy over TLS is verified like a peer", .enabled(if: NginxServer.isInstalled))
    func secureProxy() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        let proxy = "https://127.0.0.1:\(server.securePort)"
        let request = TransferRequest(url: try HTTPURL("http://example.test/"))
        let trusting = ConnectionOptions(proxy: proxy, tls: try server.certificates.tls())
        try await withSession(trusting) { session in
            let (outcome, text) = await session.perform(request)
            #expect(text == "hello")
            // There are no TLS metrics, because there was no TLS with the peer.
            #expect(outcome.metrics.tls == nil)
        }
        try await withSession(ConnectionOptions(proxy: proxy)) { session in
            #expect(await session.perform(request).outcome.error?.code == .untrustedRoot)
        }
    }

    @Test(
        "credentials that a proxy rejects cause a specific error, which does not reveal them",
        arguments: [nil, "user:top-secret"], ["http://example.test/", "https://example.test/"])
    func refused(userInfo: String?, url: String) async throws {
        try await withProxy(Self.tunnelling(to: 9), userInfo: userInfo) { proxy, session in
            let receiver = RecordingReceiver()
            let request = TransferRequest(method: .post, url: try HTTPURL(url))
            let outcome = await session.perform(request, receiver: receiver)
            let error = try #require(outcome.error)
            #expect(error.code == .authenticationFailed)
            #expect(!error.mayHaveArrived)
            #expect(!"\(error)".contains("secret"))
            #expect(receiver.heads.events.isEmpty)
            #expect(await proxy.ended.first(1) == [0])
            #expect(await session.connect(to: request.url, timeout: .seconds(600))?.code == .authenticationFailed)
        }
    }

    @Test("a 407 that was not sent by a proxy is an ordinary response")
    func ownResponse() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.respond("407 Proxy Authentication Required")
        }) { server, session in
            let outcome = await session.perform(try server.request()).outcome
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 407)
        }
    }

    @Test("a refused tunnel is a failed connection")
    func noTunnel() async throws {
        try await withProxy({ connection in
            try connection.readRequest()
            try connection.respond("403 Forbidden", body: "no")
        }) { _, session in
            let request = TransferRequest(method: .post, url: try HTTPURL("https://example.test/"))
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .cannotConnect)
            #expect(!error.mayHaveArrived)
        }
    }

    @Test("a SOCKS 5 proxy receives an address, or with socks5h the name", arguments: ["socks5", "socks5h"])
    func socks(scheme: String) async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        let fixed = FixedAddress(host: "nowhere.test", port: server.port, addresses: ["127.0.0.3"])
        let script = Self.socks(to: server.port, password: "user name:p@ss:w/rd%")
        try await withProxy(script, scheme: scheme, userInfo: Self.userInfo, fixedAddresses: [fixed]) {
            proxy, session in
            let url = try HTTPURL("http://nowhere.test:\(server.port)/")
            #expect(await session.perform(TransferRequest(url: url)).text == "hello")
            let destination = scheme == "socks5" ? "1:127.0.0.3" : "3:nowhere.test"
            #expect(proxy.requests.events.map(\.head) == [destination])
            #expect(await session.connect(to: url, timeout: .seconds(600)) == nil)
        }
    }

    @Test("a SOCKS 5 proxy rejects the credentials or requires some", arguments: [nil, "user:top-secret"])
    func socksRefused(userInfo: String?) async throws {
        let script = Self.socks(to: 9, password: "another:one")
        try await withProxy(script, scheme: "socks5h", userInfo: userInfo) { _, session in
            let request = TransferRequest(url: try HTTPURL("http://example.test/"))
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .authenticationFailed)
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test("a SOCKS 5 proxy cannot make the connection")
    func socksUnreachable() async throws {
        try await withProxy(
            { connection in
                _ = try connection.read(Int(try connection.read(2)[1]))
                try connection.send([5, 0])
                _ = try connection.read(4)
                // Host unreachable.
                try connection.send([5, 4, 0, 1, 0, 0, 0, 0, 0, 0])
                connection.waitForClose()
            }, scheme: "socks5h"
        ) { _, session in
            let request = TransferRequest(url: try HTTPURL("http://example.test/"))
            #expect(await session.perform(request).outcome.error?.code == .cannotConnect)
        }
    }

    @Test("a proxy to which the machine has no route is not a proxy that refuses", arguments: ["http", "socks5h"])
    func noRoute(scheme: String) async throws {
        // TCP has no route to a broadcast address.
        try await withSession(ConnectionOptions(proxy: "\(scheme)://127.255.255.255:9")) { session in
            let request = TransferRequest(url: try HTTPURL("http://example.test/"))
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .notConnected)
            #expect(error.message == "Could not connect to the proxy: no route leads to it")
            #expect(await session.connect(to: request.url, timeout: .seconds(600))?.code == .notConnected)
        }
    }

    @Test("a missing or unsupported proxy is an error and is not bypassed")
    func noProxy() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        let gone = try ScriptedServer(listens: false, greeting)
        defer { gone.stop() }
        for proxy in [gone.origin, "carrier-pigeon://user:top-secret@127.0.0.1:1", "http://[::"] {
            try await withSession(ConnectionOptions(proxy: proxy)) { session in
                let error = try #require(await session.perform(try server.request()).outcome.error)
                #expect(!"\(error)".contains("secret"))
            }
        }
        #expect(try await server.connectionsBefore() == 0)
    }

    @Test("the environment neither adds nor removes a proxy")
    func environment() async throws {
        // The test uses a separate process, so that its environment affects no other test.
        await #expect(processExitsWith: .success) {
            endInTime()
            let server = try ScriptedServer(greeting)
            setenv("http_proxy", "http://127.0.0.1:1", 1)
            setenv("ALL_PROXY", "http://127.0.0.1:1", 1)
            setenv("NO_PROXY", "*", 1)
            let engine = try CurlEngine()
            let direct = await engine.session().perform(try server.request())
            #expect(direct.text == "hello")
            let session = engine.session(ConnectionOptions(proxy: server.origin))
            let url = try HTTPURL("http://127.0.0.1:1/proxied")
            #expect(await session.perform(TransferRequest(url: url)).text == "hello")
            await engine.shutdown()
            server.stop()
        }
    }
}
