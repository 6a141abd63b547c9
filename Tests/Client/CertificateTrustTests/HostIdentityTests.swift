import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

/// Checks the matching of certificates with hosts (RFC 9525).
@Suite("Hosts", .enabled(if: CertificateFactory.isInstalled))
struct HostIdentityTests {
    /// A self-signed certificate and its matches with hosts.
    private struct Server {
        let der: [UInt8]
        let evaluator: TrustEvaluator

        init(names: String?, subject: String = "server.test") async throws {
            let factory = try CertificateFactory()
            let identity = try await factory.issue(
                "server", subject: subject,
                extensions: names.map(CertificateFactory.server) ?? "basicConstraints = CA:FALSE\n")
            der = identity.der
            evaluator = try TrustEvaluator(TrustPolicy(anchors: .certificates([der])))
        }

        func refusal(_ host: String) -> TransferError? {
            evaluator.evaluate(presented: [der], host: host, at: MatrixAuthority.now).refusal
        }

        func accepted(_ hosts: [String]) -> [String] { hosts.filter { refusal($0) == nil } }

        func mismatched(_ hosts: [String]) -> [String] { hosts.filter { refusal($0)?.code == .hostMismatch } }
    }

    @Test("A name matches exactly, ignoring case and a final dot of the host")
    func names() async throws {
        let server = try await Server(names: "DNS:server.test, DNS:Second.Test")
        let own = ["server.test", "SERVER.test", "server.test.", "second.test"]
        #expect(server.accepted(own) == own)
        let others = [
            "a.server.test", "erver.test", ".test", ".server.test", "server.test..", "test", "", ".", "server.test\0",
            "server.test\0.attacker.test", " server.test", "sërver.test", "127.0.0.1", "[::1]", "[server.test]",
        ]
        #expect(server.mismatched(others) == others)
    }

    @Test("A wildcard matches one whole label, the leftmost")
    func wildcards() async throws {
        let server = try await Server(names: "DNS:*.server.test, DNS:w*.part.test, DNS:a.*.inner.test, DNS:*.test")
        let own = ["a.server.test", "WWW.server.test", "a.server.test."]
        #expect(server.accepted(own) == own)
        let others = [
            "server.test", "a.b.server.test", ".server.test", "www.part.test", "w.part.test", "a.b.inner.test",
            "other.test",
        ]
        #expect(server.mismatched(others) == others)
    }

    @Test("The subject's common name matches no host, with or without other names")
    func commonName() async throws {
        let hosts = ["server.test", "10.0.0.1"]
        for subject in hosts {
            let bare = try await Server(names: nil, subject: subject)
            #expect(bare.mismatched(hosts) == hosts)
            let named = try await Server(names: "DNS:other.test", subject: subject)
            #expect(named.mismatched(hosts) == hosts)
        }
    }

    @Test("Addresses match addresses in any notation, and never names")
    func addresses() async throws {
        let server = try await Server(names: "IP:10.0.0.1, IP:2001:db8::1, DNS:10.0.0.2, IP:fe80::1")
        let own = ["10.0.0.1", "[2001:db8::1]", "[2001:DB8:0:0::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]"]
        #expect(server.accepted(own) == own)
        let others = ["10.0.0.2", "[2001:db8::2]", "[::ffff:10.0.0.1]", "2001:db8::1", "10.0.0.1."]
        #expect(server.mismatched(others) == others)
    }

    @Test("The refusal contains the host and the names in the certificate, limited and escaped")
    func message() async throws {
        let two = try await Server(names: "DNS:a.test, IP:10.0.0.1")
        #expect(
            two.refusal("server.test")?.message
                == "The certificate is not for server.test: it is for a.test, 10.0.0.1")
        let none = try await Server(names: nil, subject: "Unnamed")
        #expect(
            none.refusal("server.test")?.message
                == "The certificate is not for server.test: it is for no host name (CN=Unnamed)")
        let hundred = (0..<100).map { "DNS:\($0).\(String(repeating: "a.", count: 100))test" }.joined(separator: ", ")
        let many = try await Server(names: hundred)
        let message = try #require(many.refusal("\u{1B}[31m" + String(repeating: "x", count: 10_000))).message
        #expect(message.hasPrefix("The certificate is not for \\1B[31mxxx"))
        #expect(message.hasSuffix("..., …"))
        #expect(message.utf8.count < 2000)
    }
}
