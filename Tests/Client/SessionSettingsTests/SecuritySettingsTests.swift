import ErrandSessionCore
import ErrandSettings
import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandSessionSettings

@Suite("Security in the configuration")
struct SecuritySettingsTests {
    static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// Returns the options of a session with an https base URL.
    private static func read(_ security: String, replacing: [String: String] = [:]) async throws -> TLSOptions {
        let yaml = "sessions: {a: {base_url: 'https://a.test/', security: \(security)}}"
        let loaded = try await CertificateSamples.shared.read(yaml, replacing: replacing)
        return try #require(loaded.sessions.session(named: "a")).connection.tls
    }

    @Test("By default everything is as strict as TLS")
    func defaults() async throws {
        #expect(try await Self.read("{}") == TLSOptions())
    }

    @Test("Each setting is read into its property")
    func values() async throws {
        let samples = try await CertificateSamples.shared
        let options = try await Self.read(
            """
            {pinning: public_key, pins: ['\(Self.pin)'], pin_scope: leaf, allow_invalid_certificates: true, \
            validate_domain: false, ca_file: root.pem, min_tls: 1.3, revocation: stapled}
            """)
        let trust = TrustPolicy(
            pinning: .publicKey,
            pins: [CertificatePin(label: Self.pin, .publicKey(sha256: Array(repeating: 0, count: 32)))],
            pinScope: .leaf, allowsInvalidCertificates: true, validatesDomain: false,
            anchors: .certificates([samples["root.der"]]), revocation: .stapled)
        #expect(options.trust == trust)
        #expect(options.minimumVersion == .tls13)
        #expect(options.clientCertificate == nil)
    }

    @Test("Pins are hashes, or PEM or DER files with one or more certificates")
    func pins() async throws {
        let samples = try await CertificateSamples.shared
        let options = try await Self.read(
            "{pinning: public_key, pins: [chain.pem, '\(Self.pin)', first.der]}")
        #expect(options.trust.pins.map(\.label) == ["chain.pem", "chain.pem", Self.pin, "first.der"])
        #expect(
            options.trust.pins.map(\.content) == [
                .certificate(samples["first.der"]), .certificate(samples["root.der"]),
                .publicKey(sha256: Array(repeating: 0, count: 32)), .certificate(samples["first.der"]),
            ])
    }

    @Test(
        "A client certificate is PEM in one file or two, or PKCS #12",
        arguments: [
            ("{certificate: first.pem, key: first.key}", 1), ("{certificate: chain.pem, key: first.key}", 2),
            ("{certificate: all.pem}", 1), ("{certificate: first.der, key: first.key}", 1),
            ("{certificate: first.pem, key: locked.key, password: SECRET}", 1),
            ("{certificate: first.p12, password: SECRET}", 2),
        ])
    func clientCertificate(yaml: String, count: Int) async throws {
        let samples = try await CertificateSamples.shared
        let options = try await Self.read("{client_certificate: \(yaml)}")
        let certificate = try #require(options.clientCertificate)
        #expect(certificate.chain.first == samples["first.der"])
        #expect(certificate.chain.count == count)
        // The key is the same in every file format.
        let plain = try await Self.read("{client_certificate: {certificate: all.pem}}")
        #expect(certificate.privateKey == plain.clientCertificate?.privateKey)
    }

    @Test("A client certificate is for the origins of the base URL and of the token endpoint")
    func origins() async throws {
        let samples = try await CertificateSamples.shared
        let credentials = "credentials: {oauth2: {token_url: 'https://id.test:8443/t', client_id: c, client_secret: s}}"
        let loaded = try samples.read(
            """
            session_defaults: {security: {client_certificate: {certificate: all.pem}}}
            sessions:
              a: {base_url: 'https://a.test/v1/'}
              b: {base_url: 'https://b.test/', \(credentials)}
              c: {base_url: 'https://c.test/', security: {client_certificate: null}}
            """)
        func origins(_ name: String) -> [String]? {
            loaded.sessions.session(named: name)?.transportOptions.tls.clientCertificate?.origins
                .map(\.description).sorted()
        }
        #expect(origins("a") == ["https://a.test"])
        #expect(origins("b") == ["https://b.test", "https://id.test:8443"])
        #expect(origins("c") == nil)
    }

    @Test("A session inherits each setting separately")
    func inheritance() async throws {
        let samples = try await CertificateSamples.shared
        let loaded = try samples.read(
            """
            session_defaults:
              base_url: https://a.test/
              security: {pinning: certificate, pins: [first.pem], ca_file: root.pem, min_tls: "1.3"}
            sessions:
              a: {security: {pins: [second.pem], ca_file: null}}
              b: {security: {pinning: none}}
            """)
        let trust = try #require(loaded.sessions.session(named: "a")).connection.tls.trust
        #expect(trust.pinning == .certificate)
        #expect(trust.pins.map(\.label) == ["second.pem"])
        #expect(trust.anchors == .system)
        let other = try #require(loaded.sessions.session(named: "b")).connection.tls
        #expect(other.trust.anchors == .certificates([samples["root.der"]]))
        #expect(other.minimumVersion == .tls13)
        #expect(
            loaded.warnings.map { $0.text(file: "f") }
                == ["f:6:27: sessions.b.security.pinning: the pins have no effect because pinning is none"]
        )
    }

    @Test(
        "Changed contents of a file are a changed configuration, even if the text is the same",
        arguments: [
            ("{pinning: certificate, pins: [first.pem]}", ["first.pem": "second.pem"]),
            ("{ca_file: root.pem}", ["root.pem": "first.pem"]),
            (
                "{client_certificate: {certificate: first.pem, key: first.key}}",
                ["first.pem": "second.pem", "first.key": "second.key"]
            ),
        ])
    func rotation(security: String, replacing: [String: String]) async throws {
        let before = try await Self.read(security)
        let after = try await Self.read(security, replacing: replacing)
        #expect(before != after)
        #expect(try await Self.read(security) == before)
    }

    @Test("The printed text names the files, and is read as the same configuration")
    func printing() async throws {
        let samples = try await CertificateSamples.shared
        let yaml = """
            sessions:
              a:
                base_url: https://a.test/
                security:
                  pinning: public_key
                  pins: [chain.pem, "\(Self.pin)"]
                  ca_file: root.der
                  client_certificate: {certificate: first.pem, key: first.key}
              b: {base_url: 'https://b.test/', security: {client_certificate: {certificate: all.pem}}}
            """
        let configuration = try samples.read(yaml).sessions
        let printed = Sample.printed(configuration)
        #expect(
            printed.contains("pins: [chain.pem, \"\(Self.pin)\"]") || printed.contains("pins: [chain.pem, \(Self.pin)]")
        )
        #expect(printed.contains("ca_file: root.der\n"))
        let again = try samples.read(printed).sessions
        #expect(again.sessions == configuration.sessions)
        #expect(Sample.printed(again) == printed)
    }

    @Test("Neither the password of a key nor the key is printed")
    func secrets() async throws {
        let samples = try await CertificateSamples.shared
        let yaml = """
            sessions:
              a:
                base_url: https://a.test/
                security: {client_certificate: {certificate: first.p12, password: SECRET}}
            """
        let configuration = try samples.read(yaml).sessions
        let printed = Sample.printed(configuration)
        #expect(printed.contains("certificate: first.p12\n"))
        #expect(printed.contains("password: \"[redacted]\"\n"))
        #expect(!printed.contains("SECRET"))
        let key = try #require(configuration.sessions.first?.connection.tls.clientCertificate).privateKey
        var dumped = ""
        dump(configuration.sessions, to: &dumped)
        #expect(!dumped.contains("\(key[key.count / 2]), \(key[key.count / 2 + 1]), \(key[key.count / 2 + 2])"))
    }
}
