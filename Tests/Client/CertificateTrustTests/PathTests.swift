import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

/// Checks unusual but valid chains.
@Suite("Paths", .enabled(if: CertificateFactory.isInstalled))
struct PathTests {
    @Test("Order, duplicates and unrelated certificates in the presented chain do not matter")
    func disorder() async throws {
        let pki = try await AttackAuthority.make()
        let below = try await pki.factory.issue("below", by: pki.intermediate, extensions: CertificateFactory.authority)
        let leaf = try await pki.factory.issue("leaf", by: below, extensions: AttackAuthority.server)
        for chain in [
            [leaf, below, pki.intermediate], [leaf, pki.root, pki.intermediate, below],
            [leaf, leaf, below, below, pki.intermediate, leaf], [leaf, pki.attackerRoot, below, pki.intermediate],
        ] {
            let verdict = try pki.verdict(chain, pki.policy())
            #expect(verdict.refusal == nil)
            #expect(verdict.path == [leaf, below, pki.intermediate, pki.root].map(\.der))
        }
    }

    @Test("Of an expired and a valid certificate of one intermediate the valid one is used")
    func expiredAlternate() async throws {
        let pki = try await AttackAuthority.make()
        let expired = try await pki.factory.issue(
            "expired", subject: "Intermediate", by: pki.root, key: pki.intermediate.keyFile,
            extensions: CertificateFactory.authority, notAfter: "20250101000000Z")
        for chain in [[pki.good, expired, pki.intermediate], [pki.good, pki.intermediate, expired]] {
            #expect(try pki.verdict(chain, pki.policy()).isAccepted)
        }
        let refusal = try #require(try pki.verdict([pki.good, expired], pki.policy()).refusal)
        #expect(refusal.code == .certificateExpired)
        #expect(refusal.message == "The certificate of CN=Intermediate expired at 2025-01-01T00:00:00Z")
    }

    @Test("An intermediate that an unknown root has signed too leads to the known root")
    func crossSigned() async throws {
        let pki = try await AttackAuthority.make()
        let cross = try await pki.factory.issue(
            "cross", subject: "Root", by: pki.attackerRoot, key: pki.root.keyFile,
            extensions: CertificateFactory.authority)
        for chain in [[pki.good, pki.intermediate, cross], [pki.good, cross, pki.intermediate, pki.attackerRoot]] {
            let verdict = try pki.verdict(chain, pki.policy(.publicKey, pinned: [pki.root]))
            #expect(verdict.path.last == pki.root.der)
            #expect(verdict.matchedPin == pki.root.certificateFile)
        }
    }

    @Test("A server's certificate that is a CA's, or of version 1, is recognised by its key")
    func oddLeaves() async throws {
        let pki = try await AttackAuthority.make()
        let authority = try await pki.factory.issue(
            "authority", extensions: "basicConstraints = critical, CA:TRUE\nsubjectAltName = DNS:server.test\n")
        let version1 = try await pki.factory.issue("version 1", extensions: "")
        for leaf in [authority, version1] {
            let verdict = try pki.verdict([leaf], pki.forgiving([leaf]))
            #expect(verdict.refusal == nil)
            #expect(verdict.matchedPin == leaf.certificateFile)
        }
        #expect(
            try pki.verdict([authority], pki.policy(.certificate, pinned: [authority], allowsInvalid: true)).isAccepted)
    }

    @Test("A trusted intermediate ends the path, whether or not it is a root")
    func trustedIntermediate() async throws {
        let pki = try await AttackAuthority.make()
        let policy = TrustPolicy(anchors: .certificates([pki.intermediate.der]))
        let verdict = try pki.verdict([pki.good], policy)
        #expect(verdict.refusal == nil)
        #expect(verdict.path == [pki.good.der, pki.intermediate.der])
    }

    @Test("A pinned certificate that ends the path is reported with its issuer, for the stapled response")
    func issuerOfPinned() async throws {
        let pki = try await AttackAuthority.make()
        let policy = pki.policy(.certificate, pinned: [pki.good], allowsInvalid: true)
        let verdict = try pki.verdict([pki.good, pki.intermediate], policy)
        #expect(verdict.refusal == nil)
        #expect(verdict.path.prefix(2) == [pki.good.der, pki.intermediate.der])
    }
}
