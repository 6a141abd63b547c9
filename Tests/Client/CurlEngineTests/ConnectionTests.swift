import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: connections", .timeLimit(.hang))
struct ConnectionTests {
    /// Responds to the first request of a connection, and closes the first connection after its second without a
    /// response.
    private let dyingConnection: ScriptedServer.Script = { connection in
        try connection.readRequest()
        try connection.respond(body: "hello")
        try connection.readRequest()
        if connection.number > 0 { try connection.respond(body: "again") }
    }

    @Test("a connection serves several transfers in succession")
    func reuse() async throws {
        try await withServer(greeting) { server, session in
            let request = try server.request()
            for index in 0..<5 {
                let outcome = await session.perform(request).outcome
                #expect(outcome.metrics.connectionReused == (index > 0))
            }
            #expect(try await server.connectionsBefore() == 1)
            #expect(session.counts.idleConnections == 1)
        }
    }

    @Test("a POST on a reused connection that dies without a response is sent once")
    func postOnce() async throws {
        try await withServer(dyingConnection) { server, session in
            let request = try server.request(.post, body: .bytes(Array("pay".utf8)))
            #expect(await session.perform(request).text == "hello")
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .connectionLost)
            #expect(error.mayHaveArrived)
            // libcurl made a connection to resend it and was stopped: nothing was sent over that one.
            #expect(await session.perform(request).text == "hello")
            #expect(server.requests.events.map(\.connection) == [0, 0, 2])
        }
    }

    @Test("a request that may be resent is resent over a new connection")
    func resend() async throws {
        try await withServer(dyingConnection) { server, session in
            let request = try server.request(mayResend: true)
            #expect(await session.perform(request).text == "hello")
            let (outcome, text) = await session.perform(request)
            #expect(outcome.error == nil)
            #expect(text == "hello")
            #expect(server.requests.events.map(\.connection) == [0, 0, 1])
        }
    }

    @Test("content is resent from its beginning")
    func resendContent() async throws {
        try await withServer(dyingConnection) { server, session in
            #expect(await session.perform(try server.request()).text == "hello")
            let source = ListSource(["ab", "cd"], length: 4)
            let request = try server.request(.put, body: .source(source), mayResend: true)
            #expect(await session.perform(request).outcome.error == nil)
            let requests = server.requests.events
            #expect(requests.map(\.connection) == [0, 0, 1])
            #expect(requests.dropFirst().map(\.body) == [Array("abcd".utf8), Array("abcd".utf8)])
        }
    }

    @Test(
        "content that cannot be resent is lost with its connection, as over a new one", arguments: [true, false],
        [true, false])
    func spent(mayResend: Bool, hasLength: Bool) async throws {
        try await withServer(dyingConnection) { server, session in
            func request() throws -> TransferRequest {
                let source = ListSource(["ab", "cd"], length: hasLength ? 4 : nil, canRewind: false)
                return try server.request(.put, body: .source(source), mayResend: mayResend)
            }
            #expect(await session.perform(try server.request()).text == "hello")
            let error = try #require(await session.perform(request()).outcome.error)
            #expect(error.code == .connectionLost)
            #expect(error.mayHaveArrived)
            // libcurl made a connection to resend it and was stopped: nothing was sent over that one.
            #expect(await session.perform(try request()).text == "hello")
            #expect(server.requests.events.map(\.connection) == [0, 0, 2])
            #expect(server.requests.events.map(\.body).last == Array("abcd".utf8))
        }
    }

    @Test("content that cannot be resent is lost without a response of the first connection either")
    func spentAtFirst() async throws {
        try await withServer({ connection in try connection.readRequest() }) { server, session in
            let source = ListSource(["ab", "cd"], length: 4, canRewind: false)
            let request = try server.request(.put, body: .source(source), mayResend: true)
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .connectionLost)
            #expect(error.mayHaveArrived)
            #expect(server.requests.events.count == 1)
        }
    }

    @Test("an idle connection that the peer has closed is not reused, even for a POST")
    func closedWhileIdle() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.respond(body: "hello")
        }) { server, session in
            let request = try server.request(.post)
            for index in 0..<3 {
                let (outcome, text) = await session.perform(request)
                #expect(outcome.error == nil)
                #expect(text == "hello")
                #expect(await server.ended.first(index + 1).count == index + 1)
            }
        }
    }

    @Test("sessions do not share connections")
    func separateSessions() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        let engine = try CurlEngine()
        let (one, other) = (engine.session(), engine.session())
        let request = try server.request()
        #expect(await one.perform(request).text == "hello")
        #expect(await other.perform(request).text == "hello")
        #expect(server.accepted.events == [0, 1])
        await engine.shutdown()
    }

    @Test("the number of connections to a host stays within the limit")
    func limit() async throws {
        try await withServer(greeting, options: ConnectionOptions(maxConnectionsPerHost: 2)) { server, session in
            let request = try server.request()
            let texts = await withTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { await session.perform(request).text } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "hello", count: 50))
            #expect(try await server.connectionsBefore() <= 2)
        }
    }

    @Test("after retirement, sent requests are answered and requests waiting for a connection are not sent")
    func retired() async throws {
        let isRetired = Gate()
        let script: ScriptedServer.Script = { connection in
            while true {
                try connection.readRequest()
                isRetired.wait()
                try connection.respond(body: "hello")
            }
        }
        try await withServer(script, options: ConnectionOptions(maxConnectionsPerHost: 1)) { server, session in
            let request = try server.request()
            async let first = session.perform(request)
            _ = await server.requests.first(1)
            async let second = session.perform(request)
            session.retire()
            isRetired.open()
            #expect(await first.text == "hello")
            #expect(await second.outcome.error?.code == .sessionClosed)
            #expect(await session.perform(request).outcome.error?.code == .sessionClosed)
            #expect(server.requests.events.count == 1)
        }
    }

    @Test("a sent request whose connection is lost after retirement may have arrived", arguments: [true, false])
    func lostAfterRetirement(mayResend: Bool) async throws {
        let isRetired = Gate()
        let script: ScriptedServer.Script = { connection in
            try connection.readRequest()
            try connection.respond(body: "hello")
            try connection.readRequest()
            isRetired.wait()
        }
        try await withServer(script) { server, session in
            let request = try server.request(.post, body: .bytes(Array("pay".utf8)), mayResend: mayResend)
            #expect(await session.perform(request).text == "hello")
            async let lost = session.perform(request)
            _ = await server.requests.first(2)
            session.retire()
            isRetired.open()
            let error = try #require(await lost.outcome.error)
            // Only what may be sent again is in want of another session.
            #expect(error.code == (mayResend ? .sessionClosed : .connectionLost))
            #expect(error.mayHaveArrived)
            #expect(server.requests.events.map(\.connection) == [0, 0])
        }
    }

    @Test("a host with a fixed address is not resolved")
    func fixedAddress() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        let fixed = FixedAddress(host: "nowhere.test", port: server.port, addresses: ["127.0.0.1"])
        try await withSession(ConnectionOptions(fixedAddresses: [fixed])) { session in
            let url = try HTTPURL("http://nowhere.test:\(server.port)/")
            let (outcome, text) = await session.perform(TransferRequest(url: url))
            #expect(text == "hello")
            #expect(outcome.metrics.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(await server.requests.first(1)[0]["Host"] == "nowhere.test:\(server.port)")
        }
    }

    @Test("a proxy is used only if it is configured")
    func proxy() async throws {
        try await withServer(greeting) { server, _ in
            try await withSession(ConnectionOptions(proxy: server.origin)) { session in
                let url = try HTTPURL("http://example.test/x")
                #expect(await session.perform(TransferRequest(url: url)).text == "hello")
                #expect(await server.requests.first(1)[0].line == "GET http://example.test/x HTTP/1.1")
            }
        }
    }

    @Test("a port without a listener cannot be connected to")
    func refused() async throws {
        let server = try ScriptedServer(keepsPort: true, greeting)
        // The server stops when its connection ends, so that the port has no listener afterwards.
        try await withSession { session in
            let request = try server.request(.post)
            #expect(await session.perform(request).text == "hello")
            server.stop()
            _ = await server.ended.first(1)
            _ = await server.closed.first(1)
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .cannotConnect)
            #expect(error.message == "Could not connect to 127.0.0.1 port \(server.port): connection refused")
            #expect(!error.mayHaveArrived)
        }
    }

    @Test(
        "a host to which the machine has no route is told apart from one that refuses the connection",
        arguments: [
            (["127.255.255.255"], .notConnected), (["127.255.255.255", "224.0.0.1"], .notConnected),
            (["127.255.255.255", "127.0.0.1"], .cannotConnect), (["127.0.0.1", "127.255.255.255"], .cannotConnect),
        ] as [([String], TransferError.Code)])
    func noRoute(addresses: [String], code: TransferError.Code) async throws {
        let gone = try ScriptedServer(listens: false, greeting)
        defer { gone.stop() }
        // TCP has no route to a broadcast or a multicast address.
        let fixed = FixedAddress(host: "nowhere.test", port: gone.port, addresses: addresses)
        let reason = code == .notConnected ? "no route leads to it" : "connection refused"
        try await withSession(ConnectionOptions(fixedAddresses: [fixed])) { session in
            let url = try HTTPURL("http://nowhere.test:\(gone.port)/")
            let error = await session.perform(TransferRequest(method: .post, url: url)).outcome.error
            #expect(error == TransferError(code, "Could not connect to nowhere.test port \(gone.port): \(reason)"))
            #expect(await session.connect(to: url, timeout: .seconds(600))?.code == code)
        }
    }

    @Test("connections use the configured local address or interface", arguments: ["127.0.0.2", "lo"])
    func interface(name: String) async throws {
        let peers = EventLog<String?>()
        try await withServer(
            { connection in
                peers.append(connection.peerAddress)
                try greeting(connection)
            }, options: ConnectionOptions(interface: name)
        ) { server, session in
            let request = try server.request()
            #expect(await session.perform(request).text == "hello")
            #expect(await peers.first(1) == [name == "lo" ? "127.0.0.1" : name])
        }
    }

    @Test("of several fixed addresses the next is tried if one does not respond")
    func fixedAddresses() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        // The first address has no listener.
        let fixed = FixedAddress(host: "nowhere.test", port: server.port, addresses: ["[::1]", "127.0.0.1"])
        try await withSession(ConnectionOptions(fixedAddresses: [fixed])) { session in
            let url = try HTTPURL("http://nowhere.test:\(server.port)/")
            let (outcome, text) = await session.perform(TransferRequest(url: url))
            #expect(text == "hello")
            #expect(outcome.metrics.remoteAddress == "127.0.0.1:\(server.port)")
        }
    }

    @Test(
        "connecting from an interface that does not exist fails",
        arguments: ["if!nothere0", "nothere0", "192.0.2.1"])
    func noInterface(name: String) async throws {
        try await withServer(greeting, options: ConnectionOptions(interface: name)) { server, session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .cannotConnect)
            #expect(!error.isLocal, "the tasks wait for it, as for a missing route")
            #expect(try await server.connectionsBefore() == 0)
        }
    }
}
