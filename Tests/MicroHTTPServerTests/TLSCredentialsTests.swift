import HTTPServer
import Logging
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

    @Test("a certificate with its key, and authorities, are fine")
    func fine() throws {
        let authority = try TestCertificate("CN=authority", .authority).pem()
        #expect(try failure { _ in } == nil)
        #expect(try failure { $0.clientAuthorities = authority + authority } == nil)
    }

    @Test("what is no certificate, no key, or not a pair, is refused with a reason")
    func unusable() throws {
        let other = try TestCertificate("CN=other", .server)
        for error in [
            try failure { $0.certificateChain = [] },
            try failure { $0.certificateChain = Array("hello".utf8) },
            try failure { $0.privateKey = [] },
            try failure { $0.privateKey = try other.keyPEM() },
            try failure { $0.privateKey.append(0) },
        ] {
            #expect(error?.code == .invalidCertificate)
            #expect(error?.reason?.isEmpty == false)
        }
    }

    @Test("authorities without a certificate would let nobody or everybody in, and are refused")
    func authorities() throws {
        for text in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let error = try failure { $0.clientAuthorities = Array(text.utf8) }
            #expect(error?.code == .invalidAuthorities)
            #expect(error?.description.contains("authorities") == true)
        }
    }

    @Test("a server does not start with them")
    func server() async throws {
        var tls = try ServerConfiguration.TLS.test()
        tls.privateKey = Array("no key".utf8)
        let server = MicroHTTPServer(
            configuration: ServerConfiguration(tls: tls), handler: try Router(routes: []),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
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
