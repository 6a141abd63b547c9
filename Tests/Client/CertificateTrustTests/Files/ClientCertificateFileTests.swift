import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("Files of client certificates", .enabled(if: CertificateFactory.isInstalled))
struct ClientCertificateFileTests {
    private static let password = "correct horse"

    /// A client's certificate below an intermediate, and its key in many formats.
    private struct Client {
        let factory: CertificateFactory
        let intermediate: CertificateFactory.Identity
        let identity: CertificateFactory.Identity
        let chain: [UInt8]
        let key: [UInt8]

        init(algorithm: [String] = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]) async throws {
            factory = try CertificateFactory()
            intermediate = try await factory.issue("Intermediate", extensions: CertificateFactory.authority)
            let keyFile = try await factory.key("client", algorithm: algorithm)
            identity = try await factory.issue(
                "client", by: intermediate, key: keyFile, extensions: "extendedKeyUsage = clientAuth\n")
            chain = try factory.bytes(of: identity.certificateFile) + factory.bytes(of: intermediate.certificateFile)
            key = try factory.bytes(of: identity.keyFile)
        }

        /// Returns the key as converted by `openssl`.
        func converted(_ arguments: [String]) async throws -> [UInt8] {
            let file = factory.path("converted")
            try await factory.run(arguments + ["-in", identity.keyFile, "-out", file])
            return try factory.bytes(of: file)
        }

        /// Returns a PKCS #12 file.
        func archive(_ arguments: [String] = [], password: String = password) async throws -> [UInt8] {
            let file = factory.path("client.p12")
            try await factory.run(
                [
                    "pkcs12", "-export", "-inkey", identity.keyFile, "-in", identity.certificateFile, "-certfile",
                    intermediate.certificateFile, "-passout", "pass:\(password)", "-out", file,
                ] + arguments)
            return try factory.bytes(of: file)
        }
    }

    private func error(
        _ certificate: [UInt8], _ key: [UInt8]? = nil, _ password: String? = nil
    ) throws -> CertificateError {
        let error = #expect(throws: CertificateError.self) {
            try ClientCertificateFile.read(certificate: certificate, key: key, password: password)
        }
        return try #require(error)
    }

    @Test("A chain and its key are read from two PEM files, or from one in any order")
    func pem() async throws {
        let client = try await Client()
        let separate = try ClientCertificateFile.read(certificate: client.chain, key: client.key)
        #expect(separate.chain == [client.identity.der, client.intermediate.der])
        #expect(
            separate.privateKey == (try await client.converted(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"])))
        #expect(try ClientCertificateFile.read(certificate: client.chain + client.key) == separate)
        #expect(try ClientCertificateFile.read(certificate: client.key + client.chain) == separate)
        let der = try ClientCertificateFile.read(certificate: client.identity.der, key: separate.privateKey)
        #expect(der.privateKey == separate.privateKey)
        #expect(der.chain == [client.identity.der])
    }

    @Test("Keys in PKCS #1, SEC 1 and PKCS #8 are read, encrypted or not")
    func forms() async throws {
        let rsa = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
        for (client, traditional) in [
            (try await Client(), ["ec"]), (try await Client(algorithm: rsa), ["rsa", "-traditional"]),
        ] {
            let expected = try ClientCertificateFile.read(certificate: client.chain, key: client.key)
            let secret = "pass:\(Self.password)"
            let open = try await client.converted(traditional)
            #expect(try ClientCertificateFile.read(certificate: client.chain, key: open) == expected)
            for sealed in [
                try await client.converted(traditional + ["-aes256", "-passout", secret]),
                try await client.converted(["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", secret]),
            ] {
                let read = try ClientCertificateFile.read(
                    certificate: client.chain, key: sealed, password: Self.password)
                #expect(read == expected)
                #expect(
                    try error(client.chain, sealed)
                        == CertificateError(.password, "The private key is encrypted and no password is given"))
                #expect(
                    try error(client.chain, sealed, "wrong horse")
                        == CertificateError(.password, "The password of the private key is wrong"))
            }
        }
    }

    @Test("A PKCS #12 file contains the certificate, its chain and its key, encrypted with a password")
    func archive() async throws {
        let client = try await Client()
        let expected = try ClientCertificateFile.read(certificate: client.chain, key: client.key)
        let archive = try await client.archive()
        #expect(try ClientCertificateFile.read(certificate: archive, password: Self.password) == expected)
        #expect(
            try error(archive, nil, "wrong horse")
                == CertificateError(.password, "The password of the PKCS #12 file is wrong"))
        #expect(
            try error(archive)
                == CertificateError(.password, "The PKCS #12 file is encrypted and no password is given"))
        #expect(try error(archive, client.key, Self.password).reason == .contradiction)
        #expect(try error(archive.dropLast(), nil, Self.password).reason == .malformed)
        let open = try await client.archive(password: "")
        #expect(try ClientCertificateFile.read(certificate: open) == expected)
        let keyless = try await client.archive(["-nokeys"])
        #expect(
            try error(keyless, nil, Self.password)
                == CertificateError(.missing, "The PKCS #12 file contains no private key"))
    }

    @Test("A PKCS #12 file with RC2 is refused with the reason")
    func legacyArchive() async throws {
        let client = try await Client()
        let error = try error(try await client.archive(["-legacy"]), nil, Self.password)
        #expect(error.reason == .unsupported)
        #expect(error.message.contains("RC2"))
    }

    @Test("Missing, unreadable and foreign keys are errors that reveal nothing of them")
    func foreignKey() async throws {
        let client = try await Client()
        let other = try client.factory.bytes(of: client.intermediate.keyFile)
        #expect(
            try error(client.chain, other)
                == CertificateError(.foreignKey, "The private key does not belong to the first certificate"))
        let unreadable = CertificateError(.malformed, "The file contains no readable private key")
        #expect(try error(client.chain) == unreadable)
        #expect(try error(client.chain, Array("my secret".utf8)) == unreadable)
        #expect(try error(client.chain, client.key.dropLast(40)) == unreadable)
        #expect(try error(client.key, client.key).reason == .missing)
        let long = String(repeating: "p", count: 1024)
        #expect(try error(client.chain, client.key, long).reason == .password)
        #expect(try error(client.chain, client.key, "a\0b").reason == .password)
    }

    @Test("The PEM written for libcurl is read back unchanged")
    func roundTrip() async throws {
        let client = try await Client()
        let read = try ClientCertificateFile.read(certificate: client.chain, key: client.key)
        #expect(read.privateKeyPEM == client.key)
        #expect(try ClientCertificateFile.read(certificate: read.chainPEM, key: read.privateKeyPEM) == read)
    }
}
