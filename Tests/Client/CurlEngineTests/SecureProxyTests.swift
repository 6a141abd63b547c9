import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("CurlEngine: proxies over TLS", .timeLimit(.hang), .enabled(if: SecureRelay.isInstalled))
struct SecureProxyTests {
    /// Runs `body` with an HTTP proxy over TLS, options for using it, and the server behind it.
    ///
    /// - Parameter certificate: The name of the proxy's certificate.
    private func withSecureProxy(
        certificate: String = "good", server name: String = "good", asks arguments: [String] = [],
        _ body: (ConnectionOptions, OpenSSLServer) async throws -> Void
    ) async throws {
        let server = try await OpenSSLServer.start(name, arguments: arguments)
        defer { server.stop() }
        let tunnel = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.relay(to: server.port, greeting: Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))
        }
        defer { tunnel.stop() }
        let relay = try await SecureRelay.start(to: tunnel.port, certificate: certificate)
        defer { relay.stop() }
        let options = ConnectionOptions(
            proxy: "https://127.0.0.1:\(relay.port)", tls: try server.certificates.tls())
        try await body(options, server)
    }

    @Test(
        "the session's policy applies to the peer, and the proxy is verified by its certificate alone")
    func pinsBehindSecureProxy() async throws {
        // The two servers have different keys.
        try await withSecureProxy(certificate: "revoked") { options, server in
            var options = options
            for (pin, code) in [("good", nil), ("revoked", TransferError.Code.pinMismatch)] {
                options.tls.trust = try server.certificates.policy(pins: [pin])
                try await withSession(options) { session in
                    for _ in 0..<2 {
                        let outcome = await session.perform(try server.request()).outcome
                        #expect(outcome.error?.code == code)
                        let leaf = outcome.metrics.tls?.certificates.first
                        #expect(leaf?.publicKeySHA256 == (try server.certificates.keyHash("good")))
                        #expect(outcome.metrics.tls?.matchedPin == (code == nil ? "good" : nil))
                    }
                }
            }
        }
    }

    @Test(
        "a proxy is refused for its authority, dates and name, whatever the policy tolerates for the peer",
        arguments: [
            ("foreigner", TransferError.Code.untrustedRoot), ("expired", .certificateExpired),
            ("elsewhere", .hostMismatch),
        ])
    func refusedSecureProxy(certificate: String, code: TransferError.Code) async throws {
        try await withSecureProxy(certificate: certificate) { options, server in
            var options = options
            options.tls.trust.pinning = .publicKey
            options.tls.trust.pins = [try server.certificates.pin("good"), try server.certificates.pin(certificate)]
            options.tls.trust.allowsInvalidCertificates = true
            try await withSession(options) { session in
                let error = try #require(await session.perform(try server.request()).outcome.error)
                #expect(error.code == code)
                #expect(!error.mayHaveArrived)
                #expect(await session.connect(to: try server.request().url, timeout: .seconds(600))?.code == code)
            }
        }
    }

    @Test("the client certificate is presented to the peer and not to the proxy")
    func clientCertificateBehindSecureProxy() async throws {
        let certificates = try await TestCertificates.shared
        let asks = ["-CAfile", certificates.file("authority"), "-Verify", "1", "-verify_return_error"]
        try await withSecureProxy(asks: asks) { options, server in
            var options = options
            options.tls.clientCertificate = try certificates.client("client")
            try await withSession(options) { session in
                let text = await session.perform(try server.request()).text
                #expect(text.contains("test client"))
            }
        }
    }
}
