import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("Trust from files", .enabled(if: CertificateFactory.isInstalled))
struct TrustValuesFilesTests {
    @Test("anchors, pins and a client certificate are read")
    func read() async throws {
        let factory = try CertificateFactory()
        let identity = try await factory.issue("client", extensions: CertificateFactory.authority)
        let file = try factory.bytes(of: identity.certificateFile)
        #expect(try TrustAnchors.certificates(in: file) == .certificates([identity.der]))
        #expect(
            try CertificatePin.certificates(in: file, label: "own")
                == [CertificatePin(label: "own", .certificate(identity.der))])
        let certificate = try ClientCertificate.read(certificate: file, key: try factory.bytes(of: identity.keyFile))
        #expect(certificate.chain == [identity.der])
        let text = "sha256//\(Data(repeating: 7, count: 32).base64EncodedString())"
        #expect(
            try CertificatePin.publicKey(text)
                == CertificatePin(label: text, .publicKey(sha256: Array(repeating: 7, count: 32))))
    }

    @Test("invalid files are errors that no retry mends, and never ignored")
    func refused() throws {
        let noise = Array("noise".utf8)
        let errors = [
            #expect(throws: SessionError.self) { try TrustAnchors.certificates(in: noise) },
            #expect(throws: SessionError.self) { try CertificatePin.certificates(in: noise, label: "noise") },
            #expect(throws: SessionError.self) { try CertificatePin.publicKey("sha256//short") },
            #expect(throws: SessionError.self) { try ClientCertificate.read(certificate: noise, key: noise) },
        ]
        #expect(errors.allSatisfy { $0?.code == .secureConnectionFailed && $0?.isRetryable == false })
    }
}
