import ErrandHTTPServer
import ErrandSupport
import MicroHTTPServer
import Testing

@Suite("Certificates of a running server", .timeLimit(.hang))
struct CertificateReplacementTests {
    private let routes = [
        Route(.get, "/who") { head, _ in .immediate(.text(head.clientCertificate ?? "anonymous")) }
    ]

    private func configuration(_ tls: ServerConfiguration.TLS?) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.tls = tls
        return configuration
    }

    /// Returns a TLS configuration with a certificate for 127.0.0.1.
    private func tls(_ server: TestCertificate, authority: TestCertificate? = nil) throws -> ServerConfiguration.TLS {
        ServerConfiguration.TLS(
            certificateChain: try server.pem(), privateKey: try server.keyPEM(),
            clientAuthorities: try authority?.pem())
    }

    @Test("new connections get the new certificate, and open ones continue", arguments: ["1.2", "1.3"])
    func renewed(version: String) async throws {
        let priorities = "NORMAL:-VERS-ALL:+VERS-TLS\(version)"
        let certificates = try (0..<3).map { try TestCertificate("CN=\($0)", .server) }
        try await TestServer.with(configuration(try tls(certificates[0])), routes: routes) { server in
            var clients: [RawHTTPClient] = []
            for certificate in certificates {
                if !clients.isEmpty { try await server.server.replaceTLS(with: tls(certificate)) }
                let client = try await RawHTTPClient.tls(port: server.port, priorities: priorities)
                #expect(client.serverCertificate == (try certificate.der()))
                clients.append(client)
                for client in clients {
                    #expect(try await client.exchange(get("/who")).text == "anonymous")
                }
            }
        }
    }

    @Test("a handshake that has begun ends with the certificate with which it began")
    func duringHandshake() async throws {
        let certificates = try (0..<2).map { try TestCertificate("CN=\($0)", .server) }
        try await TestServer.with(configuration(try tls(certificates[0])), routes: routes) { server in
            for round in 0..<20 {
                let next = certificates[(round + 1) % 2]
                async let slow = RawHTTPClient.tls(port: server.port, drips: true)
                try await server.server.replaceTLS(with: tls(next))
                let client = try await slow
                #expect(try certificates.map { try $0.der() }.contains(client.serverCertificate))
                #expect(try await client.exchange(get("/who")).text == "anonymous")
            }
        }
    }

    @Test("the next request of an open connection is verified with the new authorities", arguments: ["1.2", "1.3"])
    func authorities(version: String) async throws {
        let priorities = "NORMAL:-VERS-ALL:+VERS-TLS\(version)"
        let server = try TestCertificate("CN=server", .server)
        let authorities = try (0..<2).map { try TestCertificate("CN=authority \($0)", .authority) }
        let clients = try authorities.map { try TestCertificate("CN=client", .client, issuer: $0) }
        try await TestServer.with(
            configuration(try tls(server, authority: authorities[0])), routes: routes
        ) { running in
            let open = try await RawHTTPClient.tls(
                port: running.port, certificate: clients[0], priorities: priorities)
            #expect(try await open.exchange(get("/who")).text == "CN=client")
            try await running.server.replaceTLS(with: tls(server, authority: authorities[1]))
            let refused = try await open.exchange(get("/who"))
            #expect(refused.status == 403)
            #expect(refused.text.contains("an authority that this server does not trust"))
            let new = try await RawHTTPClient.tls(port: running.port, certificate: clients[1], priorities: priorities)
            #expect(try await new.exchange(get("/who")).text == "CN=client")
        }
    }

    @Test("authorities can be added and removed")
    func verification() async throws {
        let server = try TestCertificate("CN=server", .server)
        let authority = try TestCertificate("CN=authority", .authority)
        let certificate = try TestCertificate("CN=client", .client, issuer: authority)
        try await TestServer.with(configuration(try tls(server)), routes: routes) { running in
            let early = try await RawHTTPClient.tls(port: running.port, certificate: certificate)
            #expect(try await early.exchange(get("/who")).text == "anonymous")
            try await running.server.replaceTLS(with: tls(server, authority: authority))
            // Its handshake has not requested a certificate.
            let refused = try await early.exchange(get("/who"))
            #expect(refused.status == 403)
            #expect(refused.text.contains("has not sent a certificate"))
            let verified = try await RawHTTPClient.tls(port: running.port, certificate: certificate)
            #expect(try await verified.exchange(get("/who")).text == "CN=client")
            try await running.server.replaceTLS(with: tls(server))
            let late = try await RawHTTPClient.tls(port: running.port)
            #expect(try await late.exchange(get("/who")).text == "anonymous")
            #expect(try await verified.exchange(get("/who")).text == "anonymous")
        }
    }

    @Test("a replacement during a shutdown returns")
    func duringShutdown() async throws {
        let certificate = try TestCertificate("CN=test", .server)
        for _ in 0..<50 {
            try await TestServer.with(configuration(try tls(certificate)), routes: routes) { server in
                async let shutdown: Void = server.server.shutdown(drain: .zero)
                // The server may have stopped before.
                try? await server.server.replaceTLS(with: tls(certificate))
                await shutdown
            }
        }
    }

    @Test("invalid certificates are rejected and change nothing; a server without TLS rejects all")
    func refused() async throws {
        let certificate = try TestCertificate("CN=good", .server)
        var invalid = try tls(certificate)
        invalid.privateKey = try TestCertificate("CN=other", .server).keyPEM()
        try await TestServer.with(configuration(try tls(certificate)), routes: routes) { [invalid] server in
            let error = await #expect(throws: MicroHTTPServerError.self) {
                try await server.server.replaceTLS(with: invalid)
            }
            #expect(error?.code == .invalidCertificate)
            let client = try await RawHTTPClient.tls(port: server.port)
            #expect(client.serverCertificate == (try certificate.der()))
            await server.server.shutdown(drain: .zero)
            let late = await #expect(throws: MicroHTTPServerError.self) {
                try await server.server.replaceTLS(with: tls(certificate))
            }
            #expect(late?.code == .noTLS)
        }
        try await TestServer.with(configuration(nil), routes: routes) { server in
            let error = await #expect(throws: MicroHTTPServerError.self) {
                try await server.server.replaceTLS(with: tls(certificate))
            }
            #expect(error?.code == .noTLS)
        }
    }
}
