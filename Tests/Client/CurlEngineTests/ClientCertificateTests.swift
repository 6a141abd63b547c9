import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: client certificates", .timeLimit(.hang), .enabled(if: OpenSSLServer.isInstalled))
struct ClientCertificateTests {
    /// Runs `body` with a server that asks for a certificate of `authority`, and options with the client certificate
    /// `name`.
    private func withServer(
        _ version: String, asking: [String] = ["-Verify", "1", "-verify_return_error"], certificate name: String?,
        _ body: (OpenSSLServer, CurlSession) async throws -> Void
    ) async throws {
        let certificates = try await TestCertificates.shared
        let server = try await OpenSSLServer.start(
            arguments: [version, "-CAfile", certificates.file("authority")] + asking)
        defer { server.stop() }
        var tls = try certificates.tls()
        tls.clientCertificate = try name.map { try certificates.client($0) }
        try await withSession(ConnectionOptions(tls: tls)) { try await body(server, $0) }
    }

    @Test("a certificate is presented to a peer that asks for it", arguments: ["-tls1_2", "-tls1_3"])
    func shown(version: String) async throws {
        try await withServer(version, certificate: "client") { server, session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error == nil)
            #expect(text.contains("Client certificate"))
            #expect(text.contains("test client"))
        }
    }

    @Test("a missing certificate that the peer requires is a specific error", arguments: ["-tls1_2", "-tls1_3"])
    func required(version: String) async throws {
        try await withServer(version, certificate: nil) { server, session in
            let error = try #require(await session.perform(try server.request(.post)).outcome.error)
            #expect(error.code == .clientCertificateRequired)
            #expect(!error.mayHaveArrived)
        }
    }

    @Test("a rejected certificate is reported with the peer's reason", arguments: ["-tls1_2", "-tls1_3"])
    func rejected(version: String) async throws {
        try await withServer(version, certificate: "stranger") { server, session in
            let error = try #require(await session.perform(try server.request(.post)).outcome.error)
            #expect(error.code == .clientCertificateRejected)
            #expect(error.message == "The peer does not accept the client certificate: unknown CA")
            #expect(!error.mayHaveArrived)
        }
    }

    @Test(
        "a peer that does not accept the certificate says so of every request, also of those that wait for the connection",
        arguments: [(HTTPRequest.Method.get, 0), (.post, 0), (.post, 100_000)], ["h2", "http/1.1"])
    func rejectedTogether(request: (method: HTTPRequest.Method, bytes: Int), protocol: String) async throws {
        let asking = ["-Verify", "1", "-verify_return_error", "-alpn", `protocol`]
        try await withServer("-tls1_3", asking: asking, certificate: "stranger") { server, session in
            var sample = try server.request(request.method)
            sample.mayResend = request.method == .get
            if request.bytes > 0 { sample.body = .bytes([UInt8](repeating: 0x61, count: request.bytes)) }
            let errors = await withTaskGroup(of: TransferError?.self) { [sample] group in
                for _ in 0..<20 { group.addTask { await session.perform(sample).outcome.error } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.count == 20)
            for error in errors {
                #expect(error?.code == .clientCertificateRejected, "\(String(describing: error))")
                #expect(error?.mayHaveArrived == false)
            }
        }
    }

    @Test("a certificate is presented only to the origins it is configured for", arguments: ["-tls1_2", "-tls1_3"])
    func origins(version: String) async throws {
        let certificates = try await TestCertificates.shared
        let asking = [version, "-CAfile", certificates.file("authority"), "-verify", "1"]
        let own = try await OpenSSLServer.start(arguments: asking)
        defer { own.stop() }
        let other = try await OpenSSLServer.start(arguments: asking)
        defer { other.stop() }
        var tls = try certificates.tls()
        tls.clientCertificate = try certificates.client("client", for: [own.request().url.origin])
        try await withSession(ConnectionOptions(tls: tls)) { session in
            for _ in 0..<2 {
                #expect(await session.perform(try own.request()).text.contains("test client"))
                let (outcome, text) = await session.perform(try other.request())
                #expect(outcome.error == nil)
                #expect(text.contains("no client certificate available"))
            }
        }
    }

    @Test("a key that does not belong to its certificate causes a refusal only where it would be presented")
    func unusable() async throws {
        let server = try await OpenSSLServer.start()
        defer { server.stop() }
        var tls = try server.certificates.tls()
        var broken = try server.certificates.client("client", for: [server.request().url.origin])
        broken.privateKey = try server.certificates.client("stranger").privateKey
        tls.clientCertificate = broken
        let options = ConnectionOptions(fixedAddresses: server.addresses(of: "one.test"), tls: tls)
        try await withSession(options) { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .clientCertificateRejected)
            #expect(await session.perform(try server.request(host: "one.test")).outcome.error == nil)
        }
    }
}
