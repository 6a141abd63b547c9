/// Files of certificates and keys, created once for all tests.
package struct CertificateSamples: Sendable {
    /// The contents by path.
    private let files: [String: [UInt8]]

    /// The samples of this process.
    package static var shared: CertificateSamples {
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
    package subscript(path: String) -> [UInt8] { files[path] ?? [] }

    /// Returns the content of a file.
    ///
    /// - Parameter replacing: Paths of files to replace, with the paths of the files whose content they get.
    package func content(of path: String, replacing: [String: String] = [:]) throws(MissingFile) -> [UInt8] {
        guard let bytes = files[replacing[path] ?? path] else { throw MissingFile() }
        return bytes
    }

    /// The environment of texts that name the files: `SEVERAL_LINES` is a key.
    package var environment: [String: String] {
        ["SEVERAL_LINES": String(decoding: self["first.key"], as: UTF8.self)]
    }
}
