import CertificateTrust
import Support
import Testing
import Transfer

@Suite("What peers present", .enabled(if: CertificateFactory.isInstalled))
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

    @Test("No certificate is a refusal, even where any would do")
    func nothing() async throws {
        let authority = try await MatrixAuthority.load()
        #expect(
            try refusal([], authority)
                == TransferError(.secureConnectionFailed, "The peer presented no certificate"))
    }

    @Test("Bytes that are no certificate, cut off, or followed by more, are a refusal")
    func garbage() async throws {
        let authority = try await MatrixAuthority.load()
        let garbage: [[UInt8]] = [[], [0x30], Array("hello".utf8), authority.good.dropLast(), authority.good + [0]]
        for bytes in garbage {
            for (index, chain) in [[bytes], [authority.good, bytes], [bytes, authority.intermediate]].enumerated() {
                let refusal = try #require(try refusal(chain, authority))
                #expect(refusal.code == .secureConnectionFailed)
                #expect(refusal.message == "Certificate \(index == 1 ? 2 : 1) of the peer is no certificate in DER")
            }
        }
    }

    @Test("32 certificates are looked at, 33 and 1,000 are not")
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

    @Test("More than 100 KiB are not looked at")
    func size() async throws {
        let authority = try await MatrixAuthority.load()
        let giant = [UInt8](repeating: 0x30, count: 100 * 1024)
        let refusal = try #require(try refusal([authority.good, giant], authority))
        #expect(refusal.message == "The peer presented more than 102400 bytes of certificates")
    }
}
