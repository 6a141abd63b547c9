import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

/// Attacks with a certificate of a trusted CA and all public certificates.
@Suite("Attacks on pins", .enabled(if: CertificateFactory.isInstalled))
struct PathAttackTests {
    @Test("A pinned intermediate appended to a foreign chain is refused in every mode")
    func appendedIntermediate() async throws {
        let pki = try await AttackAuthority.make()
        let leaf = try await pki.factory.issue("foreign", by: pki.attackerRoot, extensions: AttackAuthority.server)
        let selfSigned = try await pki.factory.issue("alone", extensions: AttackAuthority.server)
        let pins = [pki.intermediate, pki.root, pki.good]
        for chain in [
            [leaf, pki.intermediate], [leaf, pki.attackerRoot, pki.intermediate], [leaf, pki.intermediate, pki.root],
            [leaf, pki.good, pki.intermediate], [selfSigned, pki.intermediate], [selfSigned, pki.good, pki.root],
        ] {
            for code in try pki.verdicts(chain, pinning: pins) {
                #expect(code == .untrustedRoot || code == .pinMismatch)
            }
        }
    }

    @Test("A leaf that names the pinned intermediate as its issuer is refused for its signature, in every mode")
    func forgedSignature() async throws {
        let pki = try await AttackAuthority.make()
        let impostor = try await pki.factory.issue(
            "impostor", subject: "Intermediate", extensions: CertificateFactory.authority)
        let forged = try await pki.factory.issue(
            "forged", by: impostor, extensions: AttackAuthority.serverWithoutIdentifier)
        for chain in [[forged, pki.intermediate], [forged, pki.intermediate, pki.root]] {
            let codes = try pki.verdicts(chain, pinning: [pki.intermediate, pki.root])
            #expect(codes == Array(repeating: .untrustedRoot, count: 8))
        }
    }

    @Test("A decoy with the intermediate's name and key identifier, but another key, never matches a pin")
    func decoy() async throws {
        let pki = try await AttackAuthority.make()
        let identifier = "basicConstraints = critical, CA:TRUE\nsubjectKeyIdentifier = 0102030405\n"
        let honest = try await pki.factory.issue("Twin", by: pki.root, extensions: identifier)
        let decoy = try await pki.factory.issue(
            "decoy", subject: "Twin", by: pki.attackerRoot, extensions: identifier)
        let leaf = try await pki.factory.issue(
            "of twin", by: honest, extensions: AttackAuthority.server + "authorityKeyIdentifier = keyid\n")
        for chain in [[leaf, decoy], [leaf, decoy, honest], [leaf, honest, decoy]] {
            for policy in pki.pinningPolicies([decoy]) {
                #expect(!(try pki.verdict(chain, policy).isAccepted))
            }
        }
        #expect(try pki.verdict([leaf, honest, decoy], pki.policy(.publicKey, pinned: [honest])).isAccepted)
    }

    @Test("A certificate of the attacker that copies a pinned key is not accepted")
    func copiedKey() async throws {
        let pki = try await AttackAuthority.make()
        let issuer = try await pki.factory.issue(
            "attacker", subject: "Attacker", by: pki.attackerRoot,
            extensions: AttackAuthority.authorityWithoutIdentifier)
        let leaf = try await pki.factory.issue(
            "leaf", by: issuer, extensions: AttackAuthority.serverWithoutIdentifier)
        let copies = [
            try await pki.factory.issue(
                "copy 1", subject: "Attacker", by: pki.attackerRoot, key: pki.intermediate.keyFile,
                extensions: AttackAuthority.authorityWithoutIdentifier),
            try await pki.factory.issue(
                "copy 2", subject: "Other", by: pki.attackerRoot, key: pki.intermediate.keyFile,
                extensions: CertificateFactory.authority),
        ]
        for copy in copies {
            for chain in [
                [leaf, copy], [leaf, copy, issuer], [leaf, issuer, copy], [leaf, issuer, pki.attackerRoot, copy],
            ] {
                #expect(!(try pki.verdict(chain, pki.forgiving([pki.intermediate])).isAccepted))
                #expect(!(try pki.verdict(chain, pki.policy(.publicKey, pinned: [pki.intermediate])).isAccepted))
            }
        }
    }

    @Test("A server's certificate cannot issue another, whatever is pinned and tolerated")
    func serverAsIssuer() async throws {
        let pki = try await AttackAuthority.make()
        let leaf = try await pki.factory.issue("below", by: pki.good, extensions: AttackAuthority.server)
        let codes = try pki.verdicts(
            [leaf, pki.good, pki.intermediate], pinning: [pki.good, pki.intermediate, pki.root])
        #expect(codes == Array(repeating: .untrustedRoot, count: 8))
    }

    @Test("An issuer that is marked as a CA only by its key usage, or not at all, is refused")
    func unmarkedAuthority() async throws {
        let pki = try await AttackAuthority.make()
        let byUsage = try await pki.factory.issue(
            "by usage", by: pki.root, extensions: "keyUsage = critical, keyCertSign\n")
        let version1 = try await pki.factory.issue("version 1", by: pki.root, extensions: "")
        for issuer in [byUsage, version1] {
            let leaf = try await pki.factory.issue("leaf", by: issuer, extensions: AttackAuthority.server)
            #expect(try pki.verdict([leaf, issuer], pki.policy()).refusal?.code == .untrustedRoot)
            #expect(
                try pki.verdict([leaf, issuer], pki.forgiving([issuer, pki.root])).refusal?.code == .untrustedRoot)
        }
    }

    @Test("A CA below one whose path length forbids it is refused with any tolerance")
    func pathLength() async throws {
        let pki = try await AttackAuthority.make()
        let last = try await pki.factory.issue(
            "last", by: pki.root, extensions: "basicConstraints = critical, CA:TRUE, pathlen:0\n")
        let below = try await pki.factory.issue("below", by: last, extensions: CertificateFactory.authority)
        let leaf = try await pki.factory.issue("leaf", by: below, extensions: AttackAuthority.server)
        #expect(try pki.verdict([leaf, below, last], pki.forgiving([last])).refusal?.code == .untrustedRoot)
        #expect(try pki.verdict([leaf, below, last], pki.policy()).refusal?.code == .untrustedRoot)
    }

    @Test("A CA cannot sign names beyond its constraints, with any tolerance")
    func nameConstraints() async throws {
        let pki = try await AttackAuthority.make()
        let bound = try await pki.factory.issue(
            "bound", by: pki.root,
            extensions: CertificateFactory.authority + "nameConstraints = critical, permitted;DNS:allowed.test\n")
        let leaf = try await pki.factory.issue("leaf", by: bound, extensions: AttackAuthority.server)
        #expect(try pki.verdict([leaf, bound], pki.forgiving([bound])).refusal?.code == .untrustedRoot)
        #expect(try pki.verdict([leaf, bound], pki.policy()).refusal?.code == .untrustedRoot)
    }

    @Test("A certificate for clients, a weak key, a weak digest and an unknown critical extension are refused")
    func unusable() async throws {
        let pki = try await AttackAuthority.make()
        let weak = try await pki.factory.key(
            "weak", algorithm: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"])
        let leaves = [
            try await pki.factory.issue(
                "client", by: pki.intermediate,
                extensions: "extendedKeyUsage = clientAuth\nsubjectAltName = DNS:server.test\n"),
            try await pki.factory.issue(
                "weak", by: pki.intermediate, key: weak, extensions: AttackAuthority.server),
            try await pki.factory.issue(
                "sha1", by: pki.intermediate, extensions: AttackAuthority.server, arguments: ["-md", "sha1"]),
            try await pki.factory.issue(
                "critical", by: pki.intermediate,
                extensions: AttackAuthority.server + "1.2.3.4 = critical, ASN1:NULL\n"),
        ]
        for leaf in leaves {
            for policy in [pki.policy(), pki.forgiving([leaf, pki.intermediate])] {
                let code = try pki.verdict([leaf, pki.intermediate], policy).refusal?.code
                #expect(code == .untrustedRoot, "\(leaf.certificateFile)")
            }
        }
    }

    @Test("CAs that issue each other's certificates do not make the search endless")
    func loop() async throws {
        let pki = try await AttackAuthority.make()
        let plain = AttackAuthority.authorityWithoutIdentifier
        let first = try await pki.factory.issue("loop 1", subject: "Loop", extensions: plain)
        let second = try await pki.factory.issue("loop 2", subject: "Loop", extensions: plain)
        let firstBySecond = try await pki.factory.issue(
            "loop 3", subject: "Loop", by: second, key: first.keyFile, extensions: plain)
        let secondByFirst = try await pki.factory.issue(
            "loop 4", subject: "Loop", by: first, key: second.keyFile, extensions: plain)
        let leaf = try await pki.factory.issue("leaf", by: first, extensions: AttackAuthority.serverWithoutIdentifier)
        let chain = [leaf] + Array(repeating: [firstBySecond, secondByFirst], count: 15).flatMap(\.self)
        #expect(try pki.verdict(chain, pki.policy()).refusal?.code == .untrustedRoot)
        for policy in pki.pinningPolicies([pki.intermediate, pki.root]) {
            #expect(!(try pki.verdict(chain, policy).isAccepted))
        }
    }
}
