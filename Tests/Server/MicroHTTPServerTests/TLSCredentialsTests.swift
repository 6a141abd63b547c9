import ErrandHTTPServer
import ErrandLogs
import ErrandSupport
import Testing

@testable import MicroHTTPServer

@Suite("TLSCredentials")
struct TLSCredentialsTests {
    private func failure(_ change: (inout ServerConfiguration.TLS) throws -> Void) throws -> MicroHTTPServerError? {
        var tls = try ServerConfiguration.TLS.test()
        try change(&tls)
        do throws(MicroHTTPServerError) {
            _ = try TLSCredentials(tls)
            return nil
        } catch {
            return error
        }
    }

    @Test("a certificate with its key, and authorities, are accepted")
    func fine() throws {
        let authority = try TestCertificate("CN=authority", .authority).pem()
        #expect(try failure { _ in } == nil)
        #expect(try failure { $0.clientAuthorities = authority + authority } == nil)
    }

    @Test("an invalid certificate or key, or an unmatched pair, is rejected with a reason")
    func unusable() throws {
        let other = try TestCertificate("CN=other", .server)
        for error in [
            try failure { $0.certificateChain = [] },
            try failure { $0.certificateChain = Array("hello".utf8) },
            try failure { $0.privateKey = [] },
            try failure { $0.privateKey = try other.keyPEM() },
        ] {
            #expect(error?.code == .invalidCertificate)
            #expect(error?.reason?.isEmpty == false)
        }
    }

    @Test("authorities without a certificate would admit no client or all clients, and are rejected")
    func authorities() throws {
        for text in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let error = try failure { $0.clientAuthorities = Array(text.utf8) }
            #expect(error?.code == .invalidAuthorities)
            #expect(error?.description.contains("authorities") == true)
        }
    }

    @Test("a server does not start with invalid credentials")
    func server() async throws {
        var tls = try ServerConfiguration.TLS.test()
        tls.privateKey = Array("no key".utf8)
        let server = MicroHTTPServer(
            configuration: ServerConfiguration(tls: tls), handler: try Router(routes: []),
            logger: .discarding)
        let error = await #expect(throws: MicroHTTPServerError.self) { try await server.start() }
        #expect(error?.code == .invalidCertificate)
    }

    @Test("nothing prints the key")
    func secret() throws {
        let tls = try ServerConfiguration.TLS.test()
        let key = String(decoding: tls.privateKey, as: UTF8.self)
        var dumped = ""
        dump(ServerConfiguration(tls: tls), to: &dumped)
        for text in ["\(tls)", String(reflecting: tls), "\(ServerConfiguration(tls: tls))", dumped] {
            #expect(!text.contains(key) && !text.contains("\(tls.privateKey)"))
            #expect(text.contains("TLS"))
        }
    }
}
