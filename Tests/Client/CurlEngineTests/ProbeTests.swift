import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("CurlEngine: connections without a request", .timeLimit(.hang))
struct ProbeTests {
    @Test("makes a connection, sends nothing over it and closes it", arguments: ["http", "https"])
    func connects(scheme: String) async throws {
        let bytes = EventLog<[UInt8]>()
        try await withServer({ bytes.append(try $0.read(1)) }) { server, session in
            let url = try HTTPURL("\(scheme)://127.0.0.1:\(server.port)/path?query")
            #expect(await session.connect(to: url, timeout: .seconds(600)) == nil)
            #expect(await server.ended.first(1) == [0])
            #expect(bytes.events.isEmpty)
            #expect(session.counts.openConnections == 0)
            #expect(session.counts.runningProbes == 0)
            #expect(session.counts.startedTransfers == 0)
        }
    }

    @Test("uses a separate connection, beside those of transfers")
    func separate() async throws {
        try await withServer(greeting) { server, session in
            let request = try server.request()
            for _ in 0..<3 {
                #expect(await session.perform(request).text == "hello")
                #expect(await session.connect(to: request.url, timeout: .seconds(600)) == nil)
            }
            // The system completes connections before the server has accepted them.
            #expect(await server.accepted.first(4) == [0, 1, 2, 3])
            #expect(session.counts.openConnections == 1)
            #expect(session.counts.idleConnections == 1)
        }
    }

    @Test("does not wait when transfers use all allowed connections")
    func beyondLimit() async throws {
        try await withServer(
            { connection in
                if connection.number == 0 { try connection.readRequest() }
                connection.waitForClose()
            }, options: ConnectionOptions(maxConnectionsPerHost: 1)
        ) { server, session in
            let request = try server.request()
            let parked = Task { await session.perform(request, receiver: RecordingReceiver()) }
            _ = await server.requests.first(1)
            #expect(await session.connect(to: request.url, timeout: .seconds(600)) == nil)
            #expect(session.counts.runningTransfers == 1)
            parked.cancel()
            #expect(await parked.value.error == .canceled)
        }
    }

    @Test("reports a port without a listener")
    func unreachable() async throws {
        let server = try ScriptedServer(listens: false, greeting)
        defer { server.stop() }
        try await withSession { session in
            let error = try #require(
                await session.connect(to: try HTTPURL("https://127.0.0.1:\(server.port)/"), timeout: .seconds(600)))
            #expect(error.code == .cannotConnect)
            #expect(!error.mayHaveArrived)
        }
    }

    @Test("uses fixed addresses and the interface of the session")
    func options() async throws {
        let peers = EventLog<String?>()
        let server = try ScriptedServer { connection in
            peers.append(connection.peerAddress)
            connection.waitForClose()
        }
        defer { server.stop() }
        let options = ConnectionOptions(
            fixedAddresses: [FixedAddress(host: "nowhere.test", port: server.port, addresses: ["127.0.0.1"])],
            interface: "127.0.0.2")
        try await withSession(options) { session in
            let url = try HTTPURL("https://nowhere.test:\(server.port)/")
            #expect(await session.connect(to: url, timeout: .seconds(600)) == nil)
            #expect(await peers.first(1) == ["127.0.0.2"])
        }
    }

    @Test("opens a tunnel through an HTTP proxy, and fails if the proxy refuses it")
    func tunnel() async throws {
        try await withServer({ connection in
            let request = try connection.readRequest()
            try connection.send("HTTP/1.1 \(request.line.contains("good") ? 200 : 502) So it is\r\n\r\n")
            connection.waitForClose()
        }) { proxy, _ in
            try await withSession(ConnectionOptions(proxy: proxy.origin)) { session in
                let good = try HTTPURL("http://good.test/")
                #expect(await session.connect(to: good, timeout: .seconds(600)) == nil)
                let bad = try HTTPURL("https://bad.test/")
                #expect(await session.connect(to: bad, timeout: .seconds(600))?.code == .cannotConnect)
                #expect(
                    proxy.requests.events.map(\.line) == [
                        "CONNECT good.test:80 HTTP/1.1", "CONNECT bad.test:443 HTTP/1.1",
                    ])
            }
        }
    }

    @Test(
        "makes no connection once the session is retired, whether or not it has made one before",
        arguments: [false, true])
    func retired(hasProbed: Bool) async throws {
        try await withServer({ $0.waitForClose() }) { server, session in
            let url = try HTTPURL(server.origin + "/")
            if hasProbed { #expect(await session.connect(to: url, timeout: .seconds(600)) == nil) }
            session.retire()
            #expect(await session.connect(to: url, timeout: .seconds(600))?.code == .sessionClosed)
            #expect(try await server.connectionsBefore() == (hasProbed ? 1 : 0))
        }
    }

    @Test("ends immediately on timeout, cancellation, invalidation and shutdown, and closes its connection")
    func ends() async throws {
        // The proxy never responds, so the probe keeps connecting.
        let silent: ScriptedServer.Script = { connection in
            try connection.readRequest()
            connection.waitForClose()
        }
        let (proxy, another) = (try ScriptedServer(silent), try ScriptedServer(silent))
        defer {
            proxy.stop()
            another.stop()
        }
        let engine = try CurlEngine()
        let session = engine.session(ConnectionOptions(proxy: proxy.origin))
        let other = engine.session(ConnectionOptions(proxy: proxy.origin))
        let limited = engine.session(ConnectionOptions(proxy: another.origin))
        let url = try HTTPURL("https://example.test/")
        #expect(await limited.connect(to: url, timeout: .seconds(1))?.code == .timedOut)
        #expect(await another.ended.first(1) == [0])
        let canceled = Task { await session.connect(to: url, timeout: .seconds(600)) }
        _ = await proxy.requests.first(1)
        #expect(session.counts.runningProbes == 1)
        #expect(session.counts.openConnections == 1)
        #expect(session.counts.idleConnections == 0)
        canceled.cancel()
        #expect(await canceled.value == .canceled)
        #expect(await proxy.ended.first(1) == [0])
        let invalidated = Task { await session.connect(to: url, timeout: .seconds(600)) }
        _ = await proxy.requests.first(2)
        await session.invalidate()
        #expect(await invalidated.value?.code == .sessionClosed)
        #expect(await session.connect(to: url, timeout: .seconds(600))?.code == .sessionClosed)
        let shutDown = Task { await other.connect(to: url, timeout: .seconds(600)) }
        _ = await proxy.requests.first(3)
        await engine.shutdown()
        #expect(await shutDown.value?.code == .sessionClosed)
        #expect(await other.connect(to: url, timeout: .seconds(600))?.code == .sessionClosed)
        #expect(Set(await proxy.ended.first(3)) == [0, 1, 2])
        #expect(session.counts.openConnections == 0)
        #expect(session.counts.runningProbes == 0)
    }
}
