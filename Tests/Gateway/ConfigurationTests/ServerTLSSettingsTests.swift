import ErrandSettings
import ErrandSupport
import Testing

@testable import ErrandConfiguration

@Suite("TLS of the server in the configuration")
struct ServerTLSSettingsTests {
    private static func read(
        _ tls: String, replacing: [String: String] = [:]
    ) async throws -> GatewayServerConfiguration.TLS? {
        try await CertificateSamples.shared.read("server: {tls: \(tls)}", replacing: replacing).configuration.server.tls
    }

    @Test("Without files, or with null, connections are cleartext")
    func none() async throws {
        #expect(try await Self.read("null") == nil)
        #expect(try Sample.read("").server.tls == nil)
    }

    @Test("Files of any format are converted to PEM")
    func files() async throws {
        let tls = try #require(try await Self.read("{certificate: first.pem, key: first.key, client_ca: root.pem}"))
        #expect(tls.certificate.path == "first.pem")
        #expect(String(decoding: tls.certificate.bytes, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(String(decoding: tls.key.bytes, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let binary = try #require(try await Self.read("{certificate: first.der, key: first.key, client_ca: root.der}"))
        #expect(binary.certificate.bytes == tls.certificate.bytes)
        #expect(binary.key == tls.key)
        #expect(binary.clientCA?.bytes == tls.clientCA?.bytes)
        #expect(try await Self.read("{certificate: first.pem, key: first.key}")?.clientCA == nil)
    }

    @Test("Changed files are a changed configuration, even if the text is the same")
    func rotation() async throws {
        let yaml = "{certificate: first.pem, key: first.key}"
        let replaced = try await Self.read(yaml, replacing: ["first.pem": "second.pem", "first.key": "second.key"])
        #expect(try await Self.read(yaml) != replaced)
    }

    @Test("A reload applies the new contents of files, but does not turn TLS on or off")
    func reload() async throws {
        let samples = try await CertificateSamples.shared
        let cleartext = "{}"
        let encrypted = "server: {tls: {certificate: first.pem, key: first.key}}"
        let renewal = ["first.pem": "second.pem", "first.key": "second.key"]
        let inForce = try samples.read(encrypted).configuration
        let renewed = try samples.reload(encrypted, replacing: inForce, files: renewal)
        #expect(renewed.changed == ["server.tls"])
        #expect(renewed.restartRequired.isEmpty)
        #expect(
            renewed.configuration.server.tls
                == (try await Self.read("{certificate: first.pem, key: first.key}", replacing: renewal)))
        let turnedOff = try samples.reload(cleartext, replacing: inForce)
        #expect(turnedOff.restartRequired == ["server.tls"])
        #expect(turnedOff.changed.isEmpty)
        #expect(turnedOff.configuration.server.tls == inForce.server.tls)
        let turnedOn = try samples.reload(encrypted, replacing: try samples.read(cleartext).configuration)
        #expect(turnedOn.restartRequired == ["server.tls"])
        #expect(turnedOn.configuration.server.tls == nil)
        #expect(try samples.reload(encrypted, replacing: inForce).changed.isEmpty)
    }

    @Test("Files that the server cannot use are a problem, with the location of the settings")
    func unusable() async throws {
        let problems = try await CertificateSamples.shared.problems(
            "server: {tls: {certificate: first.pem, key: first.key}}"
        ) { _ in "unsupported curve" }
        #expect(problems == ["1:15: server.tls: unsupported curve"])
    }

    @Test("An empty variable does not turn off the certificates of clients, unless it has an empty default")
    func emptyVariable() async throws {
        let samples = try await CertificateSamples.shared
        func load(_ authority: String) throws(ConfigurationError) -> LoadedConfiguration {
            let loader = ConfigurationLoader(
                environment: ["CLIENT_CA": ""], readFile: { try samples.content(of: $0) })
            let yaml = """
                server:
                  tls:
                    certificate: first.pem
                    key: first.key
                    client_ca: \(authority)
                """
            return try loader.load(Array(yaml.utf8), file: "config.yaml")
        }
        let error = #expect(throws: ConfigurationError.self) { _ = try load("${CLIENT_CA}") }
        let message =
            "the environment variable CLIENT_CA is empty; give it a value, or write ${CLIENT_CA:-} if it may be empty"
        #expect(error?.description == "config.yaml:5:16: server.tls.client_ca: \(message)")
        let loaded = try load("${CLIENT_CA:-}")
        #expect(loaded.configuration.server.tls != nil)
        #expect(loaded.configuration.server.tls?.clientCA == nil)
    }

    @Test(
        "TLS without an address that uses it is told",
        arguments: [
            ("{unix: /run/e.sock}", true), ("[{unix: /run/e.sock}, {unix: /run/f.sock}]", true),
            ("[{unix: /run/e.sock}, '127.0.0.1:1']", false), ("127.0.0.1:1", false),
        ])
    func sockets(listen: String, isTold: Bool) async throws {
        let tls = "{certificate: first.pem, key: first.key, client_ca: root.pem}"
        let loaded = try await CertificateSamples.shared.read("server:\n  listen: \(listen)\n  tls: \(tls)\n")
        let expected = "config.yaml:3:8: server.tls: tls has no effect, because all addresses are Unix sockets"
        #expect(loaded.warnings.map { $0.text(file: "config.yaml") } == (isTold ? [expected] : []))
    }

    @Test("Paths are printed, but not the key")
    func printing() async throws {
        let samples = try await CertificateSamples.shared
        let configuration = try samples.read("server: {tls: {certificate: chain.pem, key: first.key}}").configuration
        let printed = ConfigurationPrinter.yaml(configuration)
        #expect(printed.contains("  tls:\n    certificate: chain.pem\n    key: first.key\n    client_ca: null\n"))
        #expect(try samples.read(printed).configuration.server == configuration.server)
        let key = try #require(configuration.server.tls).key
        var dumped = ""
        dump(configuration.server, to: &dumped)
        #expect("\(configuration.server)".contains("first.key"))
        for text in [dumped, "\(configuration.server)", String(reflecting: configuration.server)] {
            #expect(!text.contains("\(key.bytes[40]), \(key.bytes[41]), \(key.bytes[42])"))
        }
    }

    @Test(
        "Each problem is reported with its location and setting",
        arguments: [
            ("{certificate: first.pem}", "1:15: server.tls: key is required"),
            ("{key: first.key}", "1:15: server.tls: certificate is required"),
            (
                "{certificate: missing.pem, key: first.key}",
                "1:29: server.tls.certificate: cannot read the file: No such file or directory; "
                    + "check the path, which begins at the working directory"
            ),
            (
                "{certificate: first.pem, key: second.key}",
                "1:45: server.tls.key: The private key does not belong to the first certificate"
            ),
            (
                "{certificate: first.pem, key: locked.key}",
                "1:45: server.tls.key: the key must not be encrypted; "
                    + "decrypt it with openssl pkey -in KEY -out NEW"
            ),
            (
                "{certificate: first.p12, key: first.key}",
                "1:29: server.tls.certificate: expected PEM, found PKCS #12; convert the file with "
                    + "openssl pkcs12 -in FILE -nodes -out NEW, and name NEW here and as the key"
            ),
            (
                "{certificate: first.pem, key: text.pem}",
                "1:45: server.tls.key: The file contains no readable private key"
            ),
            (
                "{certificate: first.key, key: first.key}",
                "1:29: server.tls.certificate: The file contains no certificate"
            ),
            (
                "{certificate: first.pem, key: first.key, client_ca: empty.pem}",
                "1:67: server.tls.client_ca: The file is empty"
            ),
            (
                "{certificate: first.pem, key: first.key, password: x}",
                "1:56: server.tls.password: unknown setting"
            ),
            ("first.pem", "1:15: server.tls: expected a mapping, found text"),
        ])
    func problems(tls: String, message: String) async throws {
        let problems = try await CertificateSamples.shared.problems("server: {tls: \(tls)}")
        #expect(problems == [message])
    }
}
