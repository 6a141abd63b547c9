import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("CurlEngine: TLS", .timeLimit(.hang), .enabled(if: NginxServer.isInstalled))
struct TLSTests {
    @Test("an untrusted certificate is refused before anything is sent")
    func untrusted() async throws {
        let server = try await OpenSSLServer.start()
        defer { server.stop() }
        try await withSession { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .untrustedRoot)
            #expect(!error.mayHaveArrived)
        }
    }

    @Test(
        "the metrics contain the TLS parameters and the peer, even for a reused connection",
        arguments: [HTTPVersionPreference.http1, .automatic])
    func metrics(version: HTTPVersionPreference) async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        let tls = TLSOptions(trust: try server.certificates.policy(pins: ["stranger", "good"]))
        try await withSession(ConnectionOptions(version: version, tls: tls)) { session in
            for index in 0..<3 {
                let (outcome, text) = await session.perform(try server.request("/"))
                #expect(text == "hello")
                #expect(outcome.metrics.connectionReused == (index > 0))
                let tls = try #require(outcome.metrics.tls)
                #expect(tls.version == "1.3")
                #expect(tls.cipher?.hasPrefix("TLS_") == true)
                #expect(tls.matchedPin == "good")
                #expect(tls.certificates.map(\.subject) == ["CN=test good", "CN=test authority"])
                #expect(tls.certificates.first?.publicKeySHA256 == (try server.certificates.keyHash("good")))
            }
            let clear = await session.perform(try server.cleartextRequest("/")).outcome
            #expect(clear.metrics.tls == nil)
        }
    }

    @Test("the handshake is measured, and an older version is named")
    func handshake() async throws {
        let server = try await OpenSSLServer.start(arguments: ["-tls1_2"])
        defer { server.stop() }
        try await withSession(ConnectionOptions(tls: try server.certificates.tls())) { session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error == nil)
            #expect(text.contains("Ciphers supported"))
            let connect = try #require(outcome.metrics.connect)
            let handshake = try #require(outcome.metrics.tlsHandshake)
            #expect(connect < handshake && handshake < outcome.metrics.total)
            #expect(outcome.metrics.tls?.version == "1.2")
            #expect(outcome.metrics.tls?.cipher == "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")
            #expect(outcome.metrics.tls?.matchedPin == nil)
        }
    }

    @Test("a version that is too old is refused with OpenSSL's reason")
    func oldVersion() async throws {
        let server = try await OpenSSLServer.start(arguments: ["-tls1_2"])
        defer { server.stop() }
        let tls = TLSOptions(minimumVersion: .tls13, trust: try server.certificates.policy())
        try await withSession(ConnectionOptions(tls: tls)) { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .secureConnectionFailed)
            #expect(error.message.contains("protocol version"))
        }
    }

    @Test("a policy that cannot be evaluated refuses every transfer without connecting")
    func unusablePolicy() async throws {
        let broken = TLSOptions(trust: TrustPolicy(anchors: .certificates([[1, 2, 3]])))
        try await withServer(greeting, options: ConnectionOptions(tls: broken)) { server, session in
            for scheme in ["http", "https"] {
                let request = TransferRequest(url: try HTTPURL("\(scheme)://127.0.0.1:\(server.port)/"))
                let error = try #require(await session.perform(request).outcome.error)
                #expect(error.code == .secureConnectionFailed)
                #expect(!error.mayHaveArrived)
            }
            #expect(try await server.connectionsBefore() == 0)
        }
    }

    @Test("a peer without TLS causes an error that says so and contains no address")
    func noTLS() async throws {
        try await withServer({ connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForClose()
        }) { server, session in
            let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            let error = try #require(await session.perform(request).outcome.error)
            #expect(error.code == .secureConnectionFailed)
            #expect(error.message == "TLS could not be established: wrong version number")
        }
    }

    @Test("an accepted connection serves only its own session: pins of another session are checked again")
    func pinsAreTheSessionsOwn() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        let engine = try CurlEngine()
        let session = { (pin: String) throws in
            engine.session(
                ConnectionOptions(tls: TLSOptions(trust: try server.certificates.policy(pins: [pin]))))
        }
        let accepting = try session("good")
        let request = try server.request("/")
        #expect(await accepting.perform(request).text == "hello")
        let refusing = try session("stranger")
        for _ in 0..<2 {
            let outcome = await refusing.perform(request).outcome
            #expect(outcome.error?.code == .pinMismatch)
            #expect(outcome.metrics.tls?.matchedPin == nil)
        }
        let again = await accepting.perform(request).outcome
        #expect(again.error == nil)
        #expect(again.metrics.connectionReused)
        await engine.shutdown()
    }

    @Test("TLS sessions are never resumed: every connection is verified", arguments: [TLSVersion.tls12, .tls13])
    func noResumption(version: TLSVersion) async throws {
        let server = try await NginxServer.start(tls: version)
        defer { server.stop() }
        let options = ConnectionOptions(version: .http1, tls: try server.certificates.tls())
        try await withSession(options) { session in
            for _ in 0..<3 {
                let (outcome, text) = await session.perform(try server.request("/once"))
                #expect(text == ".")
                #expect(outcome.metrics.tls?.version == version.rawValue)
                #expect(!outcome.metrics.connectionReused)
            }
        }
    }

    @Test("each host is verified by its own certificate, whichever hosts were accepted before")
    func otherHost() async throws {
        let one = try await OpenSSLServer.start("good")
        defer { one.stop() }
        let two = try await OpenSSLServer.start("revoked")
        defer { two.stop() }
        let options = ConnectionOptions(
            fixedAddresses: one.addresses(of: "one.test", "elsewhere.test") + two.addresses(of: "two.test"),
            tls: TLSOptions(trust: try one.certificates.policy(pins: ["good"])))
        try await withSession(options) { session in
            #expect(await session.perform(try one.request(host: "one.test")).outcome.error == nil)
            #expect(await session.perform(try two.request(host: "two.test")).outcome.error?.code == .pinMismatch)
            let elsewhere = await session.perform(try one.request(host: "elsewhere.test")).outcome
            #expect(elsewhere.error?.code == .hostMismatch)
            #expect(await session.perform(try one.request(host: "one.test")).outcome.error == nil)
        }
    }

    @Test("a session that pins its peers sends nothing without TLS")
    func pinnedInTheClear() async throws {
        let certificates = try await TestCertificates.shared
        let tls = TLSOptions(trust: try certificates.policy(pins: ["stranger"]))
        try await withServer(greeting, options: ConnectionOptions(tls: tls)) { server, session in
            let request = try server.request()
            #expect(await session.perform(request).outcome.error?.code == .pinMismatch)
            #expect(try await server.connectionsBefore() == 0)
        }
    }

    @Test("all transfers that wait for one connection learn that its peer is refused")
    func crowdIsRefused() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        let tls = TLSOptions(trust: try server.certificates.policy(pins: ["stranger"]))
        try await withSession(ConnectionOptions(tls: tls)) { session in
            let request = try server.request("/")
            let codes = await withTaskGroup(of: TransferError.Code?.self) { group in
                for _ in 0..<50 { group.addTask { await session.perform(request).outcome.error?.code } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == Array(repeating: .pinMismatch, count: 50))
            #expect(session.counts.openConnections == 0)
        }
    }
}
