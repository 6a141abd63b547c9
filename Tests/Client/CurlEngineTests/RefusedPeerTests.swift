import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// A peer with a certificate, and a policy that refuses it.
struct RefusedPeer: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var certificate = "good"
    var arguments: @Sendable (TestCertificates) -> [String] = { _ in [] }
    var code: TransferError.Code
    var policy: @Sendable (TestCertificates) throws -> TrustPolicy = { try $0.policy() }

    /// One peer for each kind of refusal.
    static let all = [
        RefusedPeer(testDescription: "foreign authority", certificate: "foreigner", code: .untrustedRoot),
        RefusedPeer(testDescription: "expired", certificate: "expired", code: .certificateExpired),
        RefusedPeer(testDescription: "not yet valid", certificate: "early", code: .certificateNotYetValid),
        RefusedPeer(testDescription: "other host", certificate: "elsewhere", code: .hostMismatch),
        RefusedPeer(
            testDescription: "other key", code: .pinMismatch, policy: { try $0.policy(pins: ["stranger", "client"]) }),
        RefusedPeer(
            testDescription: "other certificate", certificate: "revoked", code: .pinMismatch,
            policy: { certificates in
                TrustPolicy(
                    pinning: .certificate,
                    pins: [CertificatePin(label: "good.pem", .certificate(try certificates.certificate("good")))],
                    allowsInvalidCertificates: true)
            }),
        RefusedPeer(
            testDescription: "pinned certificate appended to a foreign one", certificate: "foreigner",
            arguments: { ["-cert_chain", $0.file("good")] }, code: .pinMismatch,
            policy: { certificates in
                TrustPolicy(
                    pinning: .publicKey, pins: [try certificates.pin("good")], allowsInvalidCertificates: true,
                    validatesDomain: false)
            }),
        RefusedPeer(
            testDescription: "revoked", certificate: "revoked", arguments: { ["-status_file", $0.staple("revoked")] },
            code: .revoked, policy: { try $0.policy(revocation: .stapled) }),
        RefusedPeer(
            testDescription: "nothing stapled", code: .revoked, policy: { try $0.policy(revocation: .stapled) }),
        RefusedPeer(
            testDescription: "stapled for another", certificate: "revoked",
            arguments: { ["-status_file", $0.staple("good")] }, code: .revoked,
            policy: { try $0.policy(revocation: .stapled) }),
    ]
}

@Suite("CurlEngine: refused peers", .timeLimit(.hang), .enabled(if: OpenSSLServer.isInstalled))
struct RefusedPeerTests {
    @Test(
        "a server with a refused certificate never sees a request", arguments: RefusedPeer.all,
        ["-tls1_2", "-tls1_3"])
    func unseen(peer: RefusedPeer, version: String) async throws {
        for http in [HTTPVersionPreference.http1, .automatic] {
            let certificates = try await TestCertificates.shared
            let server = try await OpenSSLServer.start(
                peer.certificate, answers: false,
                arguments: [version, "-alpn", "h2,http/1.1"] + peer.arguments(certificates))
            defer { server.stop() }
            let tls = TLSOptions(trust: try peer.policy(certificates))
            try await withSession(ConnectionOptions(version: http, tls: tls)) { session in
                var request = try server.request(.post, "/refused")
                request.body = .bytes(Array("refused".utf8))
                let outcome = await session.perform(request).outcome
                let error = try #require(outcome.error)
                #expect(error.code == peer.code)
                #expect(!error.mayHaveArrived)
                #expect(outcome.metrics.bytesSent == 0)
                let seen = try #require(outcome.metrics.tls)
                #expect(seen.certificates.first?.subject == "CN=test \(peer.certificate)")
                #expect(seen.matchedPin == nil)
            }
            try await sendAccepted(to: server, version: http, pin: peer.certificate)
            let output = await server.output()
            #expect(!output.contains("refused"))
            // "GET /accepted HTTP/1.1", or the preface of HTTP/2 (RFC 9113 §3.4).
            #expect(output.split(separator: "HTTP/").count == 2)
        }
    }

    /// Sends a request that the server receives after everything that it may have received before.
    private func sendAccepted(
        to server: OpenSSLServer, version: HTTPVersionPreference, pin: String
    ) async throws {
        let policy = TrustPolicy(
            pinning: .publicKey, pins: [try server.certificates.pin(pin)], allowsInvalidCertificates: true)
        try await withSession(ConnectionOptions(version: version, tls: TLSOptions(trust: policy))) { session in
            let request = try server.request(.get, "/accepted")
            let transfer = Task {
                let outcome = await session.perform(request, receiver: RecordingReceiver())
                // Ends the wait for a request that the server has not received.
                server.stop()
                return outcome
            }
            _ = try await server.line(containing: "HTTP/")
            transfer.cancel()
            #expect(await transfer.value.error == .canceled)
        }
    }

    @Test("a stapled response with the status good is requested and accepted", arguments: ["-tls1_2", "-tls1_3"])
    func stapled(version: String) async throws {
        let certificates = try await TestCertificates.shared
        let server = try await OpenSSLServer.start(
            arguments: [version, "-status_file", certificates.staple("good")])
        defer { server.stop() }
        let tls = TLSOptions(trust: try certificates.policy(revocation: .stapled))
        try await withSession(ConnectionOptions(tls: tls)) { session in
            let outcome = await session.perform(try server.request()).outcome
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 200)
        }
    }
}
