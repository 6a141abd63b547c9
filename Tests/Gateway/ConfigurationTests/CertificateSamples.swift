import ErrandSupport

@testable import ErrandConfiguration

/// Files of certificates and keys, created once for all tests, and helpers to read configurations with them.
struct CertificateSamples: Sendable {
    /// The contents by path.
    private let files: [String: [UInt8]]

    /// The samples of this process.
    static var shared: CertificateSamples {
        get async throws { try await making.value }
    }

    private static let making = Task { try await CertificateSamples() }

    private init() async throws {
        let factory = try CertificateFactory()
        let root = try await factory.issue("root", extensions: CertificateFactory.authority)
        let first = try await factory.issue("first", by: root, extensions: CertificateFactory.server("DNS:a.test"))
        let second = try await factory.issue("second", by: root, extensions: CertificateFactory.server("DNS:b.test"))
        try await factory.run(["ec", "-in", first.keyFile, "-aes128", "-passout", "pass:SECRET", "-out", "locked.key"])
        try await factory.run([
            "pkcs12", "-export", "-in", first.certificateFile, "-inkey", first.keyFile, "-certfile",
            root.certificateFile, "-passout", "pass:SECRET", "-out", "first.p12",
        ])
        let certificate = try factory.bytes(of: first.certificateFile)
        let authority = try factory.bytes(of: root.certificateFile)
        let key = try factory.bytes(of: first.keyFile)
        files = [
            "root.pem": authority, "root.der": root.der, "first.pem": certificate, "first.der": first.der,
            "first.key": key, "chain.pem": certificate + authority, "all.pem": key + certificate,
            "locked.key": try factory.bytes(of: factory.path("locked.key")),
            "first.p12": try factory.bytes(of: factory.path("first.p12")),
            "second.pem": try factory.bytes(of: second.certificateFile),
            "second.key": try factory.bytes(of: second.keyFile), "empty.pem": [], "text.pem": Array("text\n".utf8),
            "large.pem": Array(repeating: 0x41, count: 1 << 20 | 1),
            "broken.pem": Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
        ]
    }

    /// The contents of a file.
    subscript(path: String) -> [UInt8] { files[path] ?? [] }

    /// Reads a valid text.
    ///
    /// - Parameter replacing: Paths of files to replace, with the paths of the files whose content they get.
    func read(_ yaml: String, replacing: [String: String] = [:]) throws -> LoadedConfiguration {
        try loader(replacing).load(Array(yaml.utf8), file: "config.yaml")
    }

    /// Reads a valid text that replaces a configuration.
    ///
    /// - Parameter files: Paths of files to replace, with the paths of the files whose content they get.
    func reload(
        _ yaml: String, replacing inForce: GatewayConfiguration, files: [String: String] = [:]
    ) throws -> ReloadedConfiguration {
        try loader(files).load(Array(yaml.utf8), file: "config.yaml", replacing: inForce)
    }

    private func loader(_ replacing: [String: String]) -> ConfigurationLoader {
        let files = files.merging(replacing.mapValues { self[$0] }) { $1 }
        return ConfigurationLoader(
            environment: ["SEVERAL_LINES": String(decoding: self["first.key"], as: UTF8.self)],
            readFile: { path in
                guard let bytes = files[path] else { throw Sample.MissingFile() }
                return bytes
            })
    }

    /// Returns the problems of a text, one per line, without the name of the file; empty if there are none.
    ///
    /// - Parameter serverTLSProblem: Returns the reason for which the server cannot use certificates.
    func problems(
        _ yaml: String,
        serverTLSProblem: @escaping @Sendable (GatewayServerConfiguration.TLS) -> String? = { _ in nil }
    ) -> [String] {
        do {
            var loader = loader([:])
            loader.serverTLSProblem = serverTLSProblem
            _ = try loader.load(Array(yaml.utf8), file: "config.yaml")
            return []
        } catch {
            return "\(error)".split(separator: "\n").map { String($0.dropFirst("config.yaml:".count)) }
        }
    }

    /// Returns the warnings of a valid text, without the name of the file.
    func warnings(_ yaml: String) throws -> [String] {
        try read(yaml).warnings.map { String($0.text(file: "").dropFirst()) }
    }
}
