import CErrandOpenSSL
import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("OpenSSL's queue of errors", .enabled(if: CertificateFactory.isInstalled))
struct ErrorQueueTests {
    @Test("A handshake's errors are the same before and after every verdict")
    func preserved() async throws {
        let authority = try await MatrixAuthority.load()
        let evaluator = try TrustEvaluator(
            TrustPolicy(
                pinning: .certificate, pins: [CertificatePin(label: "foreign", .certificate(authority.foreign))],
                anchors: .certificates(authority.anchors)))
        let chains = [
            [authority.good, authority.intermediate], [authority.selfSigned], [[0x30, 0x80, 1, 2, 3]],
            [authority.good, [0x30]], [authority.expired, authority.otherIntermediate],
        ]
        for isEmpty in [true, false] {
            for chain in chains {
                ERR_clear_error()
                if !isEmpty { try leaveError() }
                let (oldest, newest) = (ERR_peek_error(), ERR_peek_last_error())
                _ = evaluator.evaluate(presented: chain, host: MatrixAuthority.host, at: MatrixAuthority.now)
                _ = evaluator.evaluateStaple([0x30, 0x03, 1], path: [authority.good, authority.intermediate], at: 0)
                #expect(ERR_peek_error() == oldest)
                #expect(ERR_peek_last_error() == newest)
                #expect((oldest == 0) == isEmpty)
            }
        }
        ERR_clear_error()
    }

    /// Leaves an error in the queue: an empty file is not PEM.
    private func leaveError() throws {
        let source = try #require(BIO_new(BIO_s_mem()))
        defer { BIO_free(source) }
        #expect(PEM_read_bio_X509(source, nil, nil, nil) == nil)
    }
}
