import HTTPSession
import Testing

@Suite("A session over libcurl is not created")
struct TrustPolicyTests {
    private static let pin = CertificatePin(label: "key", .publicKey(sha256: [UInt8](repeating: 7, count: 32)))

    @Test(
        "with a trust policy that protects nothing, or that no server can satisfy",
        arguments: [
            ("http://a.test", TrustPolicy(pinning: .publicKey, pins: [pin]), "Pinning requires a base URL with https"),
            ("https://a.test", TrustPolicy(pinning: .publicKey), "Pinning requires at least one pin"),
            (
                "https://a.test", TrustPolicy(pinning: .certificate, pins: [pin]),
                "Pinning of certificates requires certificates, found the pin of a key"
            ),
            (
                "https://a.test", TrustPolicy(allowsInvalidCertificates: true),
                "Every certificate would be refused, because invalid ones are allowed but the domain is validated; "
                    + "set pinning, or validatesDomain to false"
            ),
        ] as [(String, TrustPolicy, String)])
    func refused(baseURL: String, policy: TrustPolicy, message: String) throws {
        #expect(throws: SessionError(.secureConnectionFailed, message, isRetryable: false)) {
            try Session(baseURL: baseURL) { $0.connection.tls.trust = policy }
        }
    }

    @Test("with pins but without a base URL")
    func noBase() throws {
        var configuration = SessionConfiguration(name: "example")
        configuration.urlScope = .any
        configuration.connection.tls.trust = TrustPolicy(pinning: .publicKey, pins: [Self.pin])
        let error = #expect(throws: SessionError.self) { try Session(configuration) }
        #expect(error?.code == .secureConnectionFailed)
    }
}
