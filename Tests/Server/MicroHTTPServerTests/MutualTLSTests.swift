import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import Foundation
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Mutual TLS", .timeLimit(.hang))
struct MutualTLSTests {
    /// A client, by the fault of its certificate.
    enum Client: CaseIterable, Sendable {
        case withoutCertificate
        case ofForeignAuthority
        case ofForgedAuthority
        case selfSigned
        case expired
        case notYetValid
        case server

        /// The reason in the rejection.
        var reason: String {
            switch self {
            case .withoutCertificate: "has not sent a certificate"
            case .ofForeignAuthority, .ofForgedAuthority, .selfSigned: "an authority that this server does not trust"
            case .expired: "has expired"
            case .notYetValid: "is not valid yet"
            case .server: "is not meant for TLS clients"
            }
        }

        func certificate(_ authority: TestCertificate) throws -> TestCertificate? {
            switch self {
            case .withoutCertificate: nil
            case .ofForeignAuthority:
                try TestCertificate("CN=a", .client, issuer: TestCertificate("CN=other", .authority))
            case .ofForgedAuthority:
                // With the right name, but another key.
                try TestCertificate("CN=a", .client, issuer: TestCertificate("CN=authority", .authority))
            case .selfSigned: try TestCertificate("CN=a", .client)
            case .expired: try TestCertificate("CN=a", .client, issuer: authority, validTo: -60)
            case .notYetValid: try TestCertificate("CN=a", .client, issuer: authority, validFrom: 3600)
            case .server: try TestCertificate("CN=a", .server, issuer: authority)
            }
        }
    }

    /// A handler that counts requests.
    private final class Recorder: HTTPHandler {
        let clients = Mutex<[String?]>([])

        func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
            clients.withLock { $0.append(head.clientCertificate) }
            return .immediate(.text(head.clientCertificate ?? "anonymous"))
        }
    }

    private func configuration(_ authority: TestCertificate) throws -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.tls = try .test(clientAuthorities: try authority.pem())
        return configuration
    }

    @Test("a client with a valid certificate gets responses, and the handler its subject", arguments: ["1.2", "1.3"])
    func accepted(version: String) async throws {
        let authority = try TestCertificate("CN=authority", .authority)
        let certificate = try TestCertificate("CN=backup,O=Example\\, Inc.,C=DE", .client, issuer: authority)
        try await TestServer.with(try configuration(authority), handler: Recorder()) { server in
            let client = try await RawHTTPClient.tls(
                port: server.port, certificate: certificate, priorities: "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
            for _ in 0..<3 {
                #expect(try await client.exchange(get("/")).text == "CN=backup,O=Example\\, Inc.,C=DE")
            }
        }
    }

    @Test("a certificate without a purpose is valid for clients too")
    func withoutPurpose() async throws {
        let authority = try TestCertificate("CN=authority", .authority)
        let certificate = try TestCertificate("CN=any", .anything, issuer: authority)
        try await TestServer.with(try configuration(authority), handler: Recorder()) { server in
            let client = try await RawHTTPClient.tls(port: server.port, certificate: certificate)
            #expect(try await client.exchange(get("/")).text == "CN=any")
        }
    }

    @Test("other clients get the reason of the rejection, and no handler is called", arguments: Client.allCases)
    func refused(client: Client) async throws {
        let authority = try TestCertificate("CN=authority", .authority)
        let recorder = Recorder()
        try await TestServer.with(try configuration(authority), handler: recorder) { server in
            for version in ["1.2", "1.3"] {
                // This includes malformed requests: an unauthenticated client learns nothing else.
                for request in [get("/"), "GET / HTTP/1.1\r\n\r\n", "FOO * HTTP/1.1\r\nHost: a\r\n\r\n"] {
                    let connection = try await RawHTTPClient.tls(
                        port: server.port, certificate: try client.certificate(authority),
                        priorities: "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
                    try await connection.send(request + get("/hidden"))
                    let response = try await connection.response()
                    #expect(response.status == 403)
                    #expect(response["Content-Type"] == "application/problem+json")
                    #expect(response["Connection"] == "close")
                    #expect(response.text.contains(client.reason))
                    #expect(try await connection.untilClosedOrReset().isEmpty)
                }
            }
        }
        #expect(recorder.clients.withLock { $0.isEmpty })
    }

    @Test("a subject that is too long to be reported is rejected")
    func longSubject() async throws {
        let authority = try TestCertificate("CN=authority", .authority)
        let units = (0..<20).map { _ in "OU=" + String(repeating: "u", count: 60) }.joined(separator: ",")
        let certificate = try TestCertificate("CN=long,\(units)", .client, issuer: authority)
        let recorder = Recorder()
        try await TestServer.with(try configuration(authority), handler: recorder) { server in
            let client = try await RawHTTPClient.tls(port: server.port, certificate: certificate)
            #expect(try await client.exchange(get("/")).status == 403)
        }
        #expect(recorder.clients.withLock { $0.isEmpty })
    }

    /// Returns the output of a shell command, and its status.
    ///
    /// Foundation's `Process` is not used, because it reads beyond its buffer with more than a thousand open descriptors.
    private static func output(of command: String) async -> (text: String, status: Int32) {
        await withContinuation { continuation in
            BlockingThread.run {
                guard let pipe = popen(command, "r") else { return continuation.resume(returning: ("", -1)) }
                var output: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = fread(&buffer, 1, buffer.count, pipe)
                    guard count > 0 else { break }
                    output += buffer.prefix(count)
                }
                continuation.resume(returning: (String(decoding: output, as: UTF8.self), pclose(pipe)))
            }
        }
    }

    @Test("curl with the right certificate is served, and without one or with an expired one rejected")
    func curl() async throws {
        let authority = try TestCertificate("CN=authority", .authority)
        let folder = try TemporaryFolder()
        func files(_ name: String, _ certificate: TestCertificate) throws -> [String] {
            [
                "--cert", try folder.write(certificate.pem(), to: "\(name).pem"),
                "--key", try folder.write(certificate.keyPEM(), to: "\(name).key"),
            ]
        }
        let good = try files("good", TestCertificate("CN=curl", .client, issuer: authority))
        let old = try files("old", TestCertificate("CN=curl", .client, issuer: authority, validTo: -60))
        try await TestServer.with(try configuration(authority), handler: Recorder()) { server in
            for (arguments, expected) in [(good, "CN=curl 200"), (old, " 403"), ([], " 403")] {
                let command = ["curl", "-sk", "--max-time", "600", "-w", "' %{http_code}'"] + arguments
                let (output, status) = await Self.output(
                    of: command.joined(separator: " ") + " https://127.0.0.1:\(server.port)/")
                #expect(status == 0)
                #expect(output.hasSuffix(expected))
            }
        }
    }
}
