import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("Pins in configurations")
struct CertificatePinReadingTests {
    private static let zeros = "sha256//" + String(repeating: "A", count: 43) + "="

    @Test("A key pin is sha256// and 32 bytes in Base64")
    func key() throws {
        let pin = try CertificatePin.parse(Self.zeros)
        #expect(pin == CertificatePin(label: Self.zeros, .publicKey(sha256: [UInt8](repeating: 0, count: 32))))
    }

    @Test(
        "Anything else is an error",
        arguments: [
            "", "sha256//", "sha1//AAAA", "sha256/" + String(repeating: "A", count: 43) + "=",
            "sha256//" + String(repeating: "A", count: 43), "sha256//" + String(repeating: "A", count: 42) + "B=",
            "sha256//" + String(repeating: "A", count: 44), zeros + " ", zeros + "\n", zeros + "=", zeros + ";" + zeros,
            "SHA256//" + String(repeating: "A", count: 43) + "=", "sha256//" + String(repeating: "_", count: 43) + "=",
        ])
    func malformed(text: String) {
        #expect(throws: CertificateError.self) { try CertificatePin.parse(text) }
    }

    @Test("Each certificate of a file is a pin with the file's label", .enabled(if: CertificateFactory.isInstalled))
    func file() async throws {
        let factory = try CertificateFactory()
        let first = try await factory.issue("first", extensions: CertificateFactory.authority)
        let second = try await factory.issue("second", extensions: CertificateFactory.authority)
        let file = try factory.bytes(of: first.certificateFile) + factory.bytes(of: second.certificateFile)
        #expect(
            try CertificatePin.read(file, label: "pins.pem")
                == [first, second].map { CertificatePin(label: "pins.pem", .certificate($0.der)) })
        #expect(throws: CertificateError.self) { try CertificatePin.read(Array("no".utf8), label: "pins.pem") }
    }
}
