import ErrandSessionCore
import ErrandTransfer
import Testing

@Suite("The trust policy of a session")
struct TrustProblemTests {
    private static let key = CertificatePin(label: "key", .publicKey(sha256: [UInt8](repeating: 7, count: 32)))
    private static let certificate = CertificatePin(label: "file.pem", .certificate([0x30, 0]))

    private func configuration(_ policy: TrustPolicy, _ baseURL: String? = "https://a.test/") throws
        -> SessionConfiguration
    {
        var configuration = SessionConfiguration(name: "example", baseURL: try baseURL.map { try HTTPURL($0) })
        configuration.connection.tls.trust = policy
        return configuration
    }

    @Test(
        "can pin on a base URL with https, or accept every certificate of every host",
        arguments: [
            TrustPolicy(), TrustPolicy(validatesDomain: false),
            TrustPolicy(pins: [key]),
            TrustPolicy(pinning: .publicKey, pins: [key, certificate]),
            TrustPolicy(pinning: .certificate, pins: [certificate]),
            TrustPolicy(pinning: .publicKey, pins: [key], allowsInvalidCertificates: true),
            TrustPolicy(allowsInvalidCertificates: true, validatesDomain: false),
        ])
    func useful(policy: TrustPolicy) throws {
        let configuration = try configuration(policy)
        #expect(configuration.trustProblems.isEmpty)
        #expect(throws: Never.self) { try configuration.checkTrust() }
    }

    @Test("AFNetworking: pinning is refused without a base URL with https")
    func base() throws {
        let policy = TrustPolicy(pinning: .publicKey, pins: [Self.key])
        #expect(try configuration(policy, "http://a.test/").trustProblems == [.pinningWithoutTLS])
        #expect(try configuration(policy, nil).trustProblems == [.pinningWithoutBaseURL])
        #expect(try configuration(TrustPolicy(), "http://a.test/").trustProblems.isEmpty)
        #expect(try configuration(TrustPolicy(), nil).trustProblems.isEmpty)
    }

    @Test("cannot pin without pins, nor pin certificates by a key")
    func pins() throws {
        for pinning in [TrustPolicy.Pinning.publicKey, .certificate] {
            #expect(try configuration(TrustPolicy(pinning: pinning)).trustProblems == [.noPins])
        }
        let mixed = TrustPolicy(pinning: .certificate, pins: [Self.certificate, Self.key])
        #expect(try configuration(mixed).trustProblems == [.keyAmongCertificates])
    }

    @Test("AFNetworking: invalid certificates together with domain validation are refused, unless something is pinned")
    func identity() throws {
        let policy = TrustPolicy(allowsInvalidCertificates: true)
        #expect(try configuration(policy).trustProblems == [.noIdentity])
    }

    @Test("that has several problems has them all, and the first is the error")
    func several() throws {
        let configuration = try configuration(TrustPolicy(pinning: .certificate), "http://a.test/")
        #expect(configuration.trustProblems == [.pinningWithoutTLS, .noPins])
        #expect(
            throws: SessionError(
                .secureConnectionFailed, "Pinning requires a base URL with https", isRetryable: false)
        ) { try configuration.checkTrust() }
    }
}
