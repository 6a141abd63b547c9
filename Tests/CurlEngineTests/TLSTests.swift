import CurlEngine
import Support
import Testing
import Transfer

@Suite("CurlEngine: TLS", .timeLimit(.minutes(5)), .enabled(if: OpenSSLServer.isInstalled))
struct TLSTests {
    @Test("a certificate that nobody vouches for is refused before anything is sent")
    func untrusted() async throws {
        let server = try await OpenSSLServer.start()
        defer { server.stop() }
        try await withSession { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .untrustedRoot)
            #expect(!error.mayHaveArrived)
        }
    }

    @Test("a certificate of an own authority is accepted, and the handshake measured")
    func trusted() async throws {
        let server = try await OpenSSLServer.start()
        defer { server.stop() }
        try await withSession(ConnectionOptions(tls: TLSOptions(caFile: server.certificate))) { session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 200)
            #expect(text.contains("Ciphers supported"))
            let connect = try #require(outcome.metrics.connect)
            let handshake = try #require(outcome.metrics.tlsHandshake)
            #expect(connect < handshake && handshake < outcome.metrics.total)
        }
    }

    @Test("a certificate for another name is refused")
    func otherName() async throws {
        let server = try await OpenSSLServer.start()
        defer { server.stop() }
        let fixed = FixedAddress(host: "other.test", port: server.port, addresses: ["127.0.0.1"])
        let options = ConnectionOptions(fixedAddresses: [fixed], tls: TLSOptions(caFile: server.certificate))
        try await withSession(options) { session in
            let request = TransferRequest(url: try HTTPURL("https://other.test:\(server.port)/"))
            #expect(await session.perform(request).outcome.error?.code == .untrustedRoot)
        }
    }

    @Test("a version that is too old is refused")
    func oldVersion() async throws {
        let server = try await OpenSSLServer.start(arguments: ["-tls1_2"])
        defer { server.stop() }
        let tls = TLSOptions(minimumVersion: .tls13, caFile: server.certificate)
        try await withSession(ConnectionOptions(tls: tls)) { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .secureConnectionFailed)
        }
    }

    @Test("a file of authorities that is not there is an error, not trust")
    func noAuthorities() async throws {
        let server = try await OpenSSLServer.start()
        defer { server.stop() }
        try await withSession(ConnectionOptions(tls: TLSOptions(caFile: "/nowhere/ca.pem"))) { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .secureConnectionFailed)
        }
    }

    @Test("a peer that speaks no TLS is an error")
    func noTLS() async throws {
        try await withServer({ connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForClose()
        }) { server, session in
            let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            #expect(await session.perform(request).outcome.error?.code == .secureConnectionFailed)
        }
    }
}
