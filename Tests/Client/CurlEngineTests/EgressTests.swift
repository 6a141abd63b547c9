import ErrandCurlEngine
import ErrandEgress
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: egress", .timeLimit(.hang))
struct EgressTests {
    /// Returns a rule that allows public addresses and `allowed` only.
    private static func rule(
        allow: [String] = [], deny: [String] = [], own: EgressDestination? = nil, trustsProxy: Bool = false
    ) throws -> EgressRule {
        EgressRule(
            EgressPolicy(
                allow: try allow.map { try IPNetwork($0) }, deny: try deny.map { try IPNetwork($0) },
                trustsProxy: trustsProxy), own: own)
    }

    /// Runs `body` with a server on 127.0.0.1 that responds with `hello`.
    private func withServer(_ body: (ScriptedServer) async throws -> Void) async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        try await body(server)
    }

    private func expectDenied(_ outcome: TransferOutcome) throws {
        let error = try #require(outcome.error)
        #expect(error.code == .egressDenied)
        #expect(!error.mayHaveArrived)
        // The message must not reveal more about the network than the policy does.
        #expect(!error.message.contains { $0.isNumber })
        #expect(outcome.metrics.remoteAddress == nil)
        #expect(outcome.metrics.bytesSent == 0)
    }

    @Test(
        "a private address is refused in every notation",
        arguments: [
            "127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "localhost", "LOCALHOST",
            "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "[::127.0.0.1]",
            "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "0", "[::]", "10.0.0.1", "169.254.169.254",
            "[fe80::1]", "[fd00:ec2::254]",
        ])
    func written(host: String) async throws {
        try await withServer { server in
            try await withSession(ConnectionOptions(egress: try Self.rule())) { session in
                let url = try HTTPURL("http://\(host):\(server.port)/")
                try expectDenied(await session.perform(TransferRequest(method: .post, url: url)).outcome)
                #expect(await session.connect(to: url, timeout: .seconds(600))?.code == .egressDenied)
            }
            #expect(try await server.connectionsBefore() == 0)
        }
    }

    @Test(
        "hosts that only become addresses by Unicode mapping are not valid in URLs",
        arguments: [
            "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "user@127.0.0.1", "127.0.0.1%00", "127.0.0.1.",
        ])
    func folded(host: String) {
        #expect(throws: HTTPURLError.self) { try HTTPURL("http://\(host)/") }
    }

    @Test("a name is checked by the addresses it resolves to")
    func named() async throws {
        try await withServer { server in
            let fixed = FixedAddress(host: "nowhere.test", port: server.port, addresses: ["127.0.0.2", "[::1]"])
            let options = ConnectionOptions(fixedAddresses: [fixed], egress: try Self.rule())
            try await withSession(options) { session in
                let url = try HTTPURL("http://nowhere.test:\(server.port)/")
                try expectDenied(await session.perform(TransferRequest(url: url)).outcome)
            }
            #expect(try await server.connectionsBefore() == 0)
        }
    }

    @Test(
        "of several addresses only the allowed ones are used, in any order",
        arguments: [
            ["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"], ["[::1]", "127.0.0.1"], ["127.0.0.1", "[::1]"],
            ["10.0.0.1", "127.0.0.3", "[fe80::1]", "127.0.0.1"],
        ])
    func several(addresses: [String]) async throws {
        try await withServer { server in
            let fixed = FixedAddress(host: "nowhere.test", port: server.port, addresses: addresses)
            let options = ConnectionOptions(fixedAddresses: [fixed], egress: try Self.rule(allow: ["127.0.0.1"]))
            try await withSession(options) { session in
                let url = try HTTPURL("http://nowhere.test:\(server.port)/")
                for _ in 0..<2 {
                    let (outcome, text) = await session.perform(TransferRequest(url: url))
                    #expect(text == "hello")
                    #expect(outcome.metrics.remoteAddress == "127.0.0.1:\(server.port)")
                    #expect(session.counts.openConnections == 1)
                }
                #expect(await session.connect(to: url, timeout: .seconds(600)) == nil)
            }
        }
    }

    @Test(
        "if one address is denied and the allowed one is down, the host is down, in any order",
        arguments: [["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"], ["[::1]", "127.0.0.1"]])
    func deniedAndDown(addresses: [String]) async throws {
        let gone = try ScriptedServer(listens: false, greeting)
        defer { gone.stop() }
        let fixed = FixedAddress(host: "nowhere.test", port: gone.port, addresses: addresses)
        let options = ConnectionOptions(fixedAddresses: [fixed], egress: try Self.rule(allow: ["127.0.0.1"]))
        try await withSession(options) { session in
            let url = try HTTPURL("http://nowhere.test:\(gone.port)/")
            let error = await session.perform(TransferRequest(url: url)).outcome.error
            #expect(error?.code == .cannotConnect)
            #expect(error?.mayHaveArrived == false)
            #expect(await session.connect(to: url, timeout: .seconds(600))?.code == .cannotConnect)
        }
    }

    @Test("only the base URL's own host and port may be private")
    func own() async throws {
        try await withServer { server in
            try await withServer { other in
                let own = EgressDestination(host: "127.0.0.1", port: server.port)
                try await withSession(ConnectionOptions(egress: try Self.rule(own: own))) { session in
                    #expect(await session.perform(try server.request()).text == "hello")
                    try expectDenied(await session.perform(try other.request()).outcome)
                    // The same address under another name.
                    let url = try HTTPURL("http://localhost:\(server.port)/")
                    try expectDenied(await session.perform(TransferRequest(url: url)).outcome)
                }
                #expect(try await other.connectionsBefore() == 0)
                let denying = ConnectionOptions(egress: try Self.rule(deny: ["127.0.0.0/8"], own: own))
                try await withSession(denying) { session in
                    try expectDenied(await session.perform(try server.request()).outcome)
                }
            }
        }
    }

    @Test("all transfers that wait for one connection learn that its address is refused")
    func crowd() async throws {
        try await withServer { server in
            try await withSession(ConnectionOptions(egress: try Self.rule())) { session in
                let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
                let codes = await withTaskGroup(of: TransferError.Code?.self) { group in
                    for _ in 0..<50 { group.addTask { await session.perform(request).outcome.error?.code } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(codes == Array(repeating: .egressDenied, count: 50))
            }
            #expect(try await server.connectionsBefore() == 0)
        }
    }

    // MARK: Proxies

    @Test("a proxy's own address is checked, and a refused proxy is not bypassed", arguments: ["http", "socks5h"])
    func proxyAddress(scheme: String) async throws {
        try await withServer { proxy in
            let rule = try Self.rule(own: EgressDestination(host: "example.test", port: 80), trustsProxy: true)
            let options = ConnectionOptions(proxy: "\(scheme)://127.0.0.1:\(proxy.port)", egress: rule)
            try await withSession(options) { session in
                let url = try HTTPURL("http://example.test/")
                try expectDenied(await session.perform(TransferRequest(url: url)).outcome)
                #expect(await session.connect(to: url, timeout: .seconds(600))?.code == .egressDenied)
            }
            #expect(try await proxy.connectionsBefore() == 0)
        }
    }

    @Test(
        "names are allowed only behind a trusted proxy, and literal addresses are checked",
        arguments: ["http", "socks5", "socks5h"])
    func behindProxy(scheme: String) async throws {
        for trustsProxy in [false, true] {
            let proxy = try ScriptedServer { $0.waitForClose() }
            defer { proxy.stop() }
            let fixed = FixedAddress(host: "example.test", port: 80, addresses: ["127.0.0.1"])
            let options = ConnectionOptions(
                proxy: "\(scheme)://127.0.0.1:\(proxy.port)", fixedAddresses: [fixed],
                egress: try Self.rule(allow: ["127.0.0.1"], deny: ["127.0.0.2"], trustsProxy: trustsProxy))
            try await withSession(options) { session in
                for host in ["10.0.0.1", "[::ffff:10.0.0.1]", "127.0.0.2"] {
                    let url = try HTTPURL("http://\(host)/")
                    try expectDenied(await session.perform(TransferRequest(url: url)).outcome)
                    #expect(await session.connect(to: url, timeout: .seconds(600))?.code == .egressDenied)
                }
                let request = TransferRequest(url: try HTTPURL("http://example.test/"))
                let asked = Task { await session.perform(request).outcome }
                if trustsProxy {
                    #expect(await proxy.accepted.first(1) == [0])
                    asked.cancel()
                    #expect(await asked.value.error == .canceled)
                    // Those before have made no connection.
                    #expect(try await proxy.connectionsBefore() == 1)
                } else {
                    try expectDenied(await asked.value)
                    #expect(try await proxy.connectionsBefore() == 0)
                }
            }
        }
    }
}
