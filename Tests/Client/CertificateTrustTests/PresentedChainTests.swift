import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("Presented certificates", .enabled(if: CertificateFactory.isInstalled))
struct PresentedChainTests {
    private func refusal(_ presented: [[UInt8]], _ authority: MatrixAuthority) throws -> TransferError? {
        let evaluators = try [
            TrustPolicy(anchors: .certificates(authority.anchors)),
            TrustPolicy(allowsInvalidCertificates: true, validatesDomain: false, anchors: .certificates([])),
        ].map { try TrustEvaluator($0) }
        let refusals = evaluators.map {
            $0.evaluate(presented: presented, host: MatrixAuthority.host, at: MatrixAuthority.now).refusal
        }
        #expect(refusals[0] == refusals[1])
        return refusals[0]
    }

    @Test("No certificate is refused, even if any certificate would be accepted")
    func nothing() async throws {
        let authority = try await MatrixAuthority.load()
        #expect(
            try refusal([], authority)
                == TransferError(.secureConnectionFailed, "The peer presented no certificate"))
    }

    @Test("Malformed, truncated and overlong certificates are refused")
    func garbage() async throws {
        let authority = try await MatrixAuthority.load()
        let garbage: [[UInt8]] = [[], [0x30], Array("hello".utf8), authority.good.dropLast(), authority.good + [0]]
        for bytes in garbage {
            for (index, chain) in [[bytes], [authority.good, bytes], [bytes, authority.intermediate]].enumerated() {
                let refusal = try #require(try refusal(chain, authority))
                #expect(refusal.code == .secureConnectionFailed)
                #expect(refusal.message == "Certificate \(index == 1 ? 2 : 1) of the peer is not a certificate in DER")
            }
        }
    }

    @Test("32 certificates are accepted, 33 and 1,000 are not")
    func number() async throws {
        let authority = try await MatrixAuthority.load()
        let chain = [authority.good, authority.intermediate]
        func padded(_ count: Int) -> [[UInt8]] {
            chain + Array(repeating: authority.otherIntermediate, count: count - chain.count)
        }
        #expect(try refusal(padded(32), authority) == nil)
        for count in [33, 1000] {
            let refusal = try #require(try refusal(padded(count), authority))
            #expect(refusal.code == .secureConnectionFailed)
            #expect(refusal.message == "The peer presented \(count) certificates, more than 32")
        }
    }

    @Test("More than 100 KiB of certificates are refused")
    func size() async throws {
        let authority = try await MatrixAuthority.load()
        let giant = [UInt8](repeating: 0x30, count: 100 * 1024)
        let refusal = try #require(try refusal([authority.good, giant], authority))
        #expect(refusal.message == "The peer presented more than 102400 bytes of certificates")
    }
}
