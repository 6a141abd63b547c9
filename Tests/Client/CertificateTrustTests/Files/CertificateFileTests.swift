import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("Files of certificates", .enabled(if: CertificateFactory.isInstalled))
struct CertificateFileTests {
    @Test("A PEM file may contain any number of certificates among other blocks and text")
    func pem() async throws {
        let factory = try CertificateFactory()
        let first = try await factory.issue("first", extensions: CertificateFactory.authority)
        let second = try await factory.issue("second", extensions: CertificateFactory.authority)
        let files = try [first.certificateFile, first.keyFile, second.certificateFile].map { try factory.bytes(of: $0) }
        #expect(try CertificateFile.read(files[0]) == [first.der])
        #expect(
            try CertificateFile.read(files[0] + "A comment\n\n".utf8 + files[1] + files[2]) == [first.der, second.der])
        let windows = Array(String(decoding: files[0], as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        #expect(try CertificateFile.read(windows) == [first.der])
    }

    @Test("A DER file contains exactly one certificate")
    func der() async throws {
        let authority = try await MatrixAuthority.load()
        #expect(try CertificateFile.read(authority.root) == [authority.root])
        for bytes in [authority.root + [0], authority.root.dropLast(), authority.root + authority.good] {
            #expect(throws: CertificateError(.malformed, "The file is not PEM and is not a certificate in DER")) {
                try CertificateFile.read(bytes)
            }
        }
    }

    @Test("Empty files, files without certificates and malformed blocks are errors")
    func broken() async throws {
        let factory = try CertificateFactory()
        let identity = try await factory.issue("first", extensions: CertificateFactory.authority)
        let file = try factory.bytes(of: identity.certificateFile)
        #expect(throws: CertificateError(.missing, "The file is empty")) { try CertificateFile.read([]) }
        #expect(throws: CertificateError(.missing, "The file contains no certificate")) {
            try CertificateFile.read(try factory.bytes(of: identity.keyFile))
        }
        #expect(throws: CertificateError(.malformed, "A PEM block is malformed")) {
            try CertificateFile.read(file + file.dropLast(30))
        }
        let other = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(throws: CertificateError(.malformed, "Certificate 2 of the file is not a certificate in DER")) {
            try CertificateFile.read(file + other.utf8)
        }
        #expect(throws: CertificateError.self) {
            try CertificateFile.read([UInt8](repeating: 0x30, count: CertificateFile.maxBytes + 1))
        }
    }

    @Test("A summary matches the output of openssl's commands")
    func summary() async throws {
        let factory = try CertificateFactory()
        let identity = try await factory.issue("first", extensions: CertificateFactory.authority)
        let summary = try CertificateSummary(der: identity.der)
        #expect(summary.subject == "CN=first")
        #expect(summary.issuer == "CN=first")
        #expect(summary.notBefore == 1_577_836_800)
        #expect(summary.notAfter == 2_493_072_000)
        let (digest, key, spki) = (factory.path("digest"), factory.path("key.der"), factory.path("key digest"))
        let (certificate, publicKey) = (factory.path("c.der"), factory.path("p.pem"))
        try await factory.run(["x509", "-in", identity.certificateFile, "-outform", "DER", "-out", certificate])
        try await factory.run(["dgst", "-sha256", "-binary", "-out", digest, certificate])
        #expect(try factory.bytes(of: digest) == summary.sha256)
        try await factory.run(["pkey", "-in", identity.keyFile, "-pubout", "-out", publicKey])
        try await factory.run(["pkey", "-pubin", "-in", publicKey, "-outform", "DER", "-out", key])
        try await factory.run(["dgst", "-sha256", "-binary", "-out", spki, key])
        #expect(try factory.bytes(of: spki) == summary.publicKeySHA256)
    }
}
