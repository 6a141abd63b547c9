import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Glibc
import Testing

/// Checks OCSP responses, which `openssl` dates with the time of the test.
@Suite("Stapled OCSP responses", .enabled(if: CertificateFactory.isInstalled))
struct StapledResponseTests {
    private var now: Int64 { Int64(time(nil)) }

    /// A certificate, its path and an OCSP response about it.
    private struct Fixture {
        let pki: AttackAuthority
        let evaluator: TrustEvaluator
        let path: [[UInt8]]

        init() async throws {
            pki = try await AttackAuthority.make()
            evaluator = try TrustEvaluator(pki.policy())
            path = [pki.good, pki.intermediate, pki.root].map(\.der)
        }

        func refusal(_ response: [UInt8]?, at time: Int64) -> TransferError? {
            evaluator.evaluateStaple(response, path: path, at: time)
        }
    }

    @Test("A good response of the issuer is accepted while it is valid, with five minutes of tolerance")
    func good() async throws {
        let fixture = try await Fixture()
        let pki = fixture.pki
        // The response begins to be valid between these times, for an hour.
        let before = now
        let response = try await pki.factory.ocspResponse(about: pki.good, issuer: pki.intermediate)
        let after = now
        #expect(fixture.refusal(response, at: after) == nil)
        #expect(fixture.refusal(response, at: after - 4 * 60) == nil)
        #expect(fixture.refusal(response, at: before + 64 * 60) == nil)
        let early = try #require(fixture.refusal(response, at: before - 6 * 60))
        #expect(early.code == .revoked)
        #expect(early.message.hasPrefix("The stapled OCSP response is not valid before 2"))
        let late = try #require(fixture.refusal(response, at: after + 67 * 60))
        #expect(late.code == .revoked)
        #expect(late.message.hasPrefix("The stapled OCSP response expired at 2"))
    }

    @Test("Without a response, or without an issuer, the certificate is refused")
    func missing() async throws {
        let fixture = try await Fixture()
        #expect(
            fixture.refusal(nil, at: now)
                == TransferError(
                    .revoked, "The session requires a stapled OCSP response; the peer sent none"))
        let response = try await fixture.pki.factory.ocspResponse(
            about: fixture.pki.good, issuer: fixture.pki.intermediate)
        for path in [[], Array(fixture.path.prefix(1))] {
            #expect(fixture.evaluator.evaluateStaple(response, path: path, at: now)?.code == .revoked)
        }
    }

    @Test("A response that cannot be read, or is an error, is refused")
    func unreadable() async throws {
        let fixture = try await Fixture()
        let response = try await fixture.pki.factory.ocspResponse(
            about: fixture.pki.good, issuer: fixture.pki.intermediate)
        let tryLater: [UInt8] = [0x30, 0x03, 0x0A, 0x01, 0x03]
        #expect(
            fixture.refusal(tryLater, at: now)
                == TransferError(.revoked, "The stapled OCSP response is an error: trylater"))
        let successWithoutBytes: [UInt8] = [0x30, 0x03, 0x0A, 0x01, 0x00]
        for bytes in [[], [0x30], Array(response.dropLast(20)), successWithoutBytes] {
            #expect(
                fixture.refusal(bytes, at: now)
                    == TransferError(.revoked, "The stapled OCSP response cannot be read"))
        }
    }

    @Test("Changing any single byte of a response leads to refusal")
    func mutations() async throws {
        let fixture = try await Fixture()
        let response = try await fixture.pki.factory.ocspResponse(
            about: fixture.pki.good, issuer: fixture.pki.intermediate, arguments: ["-nmin", "60", "-resp_no_certs"])
        #expect(fixture.refusal(response, at: now) == nil)
        for index in response.indices {
            var mutated = response
            mutated[index] ^= 0x01
            #expect(fixture.refusal(mutated, at: now)?.code == .revoked, "byte \(index)")
        }
    }

    @Test("Responses with the status revoked or unknown, without an end, or about other certificates are refused")
    func notGood() async throws {
        let fixture = try await Fixture()
        let (pki, factory) = (fixture.pki, fixture.pki.factory)
        let other = try await factory.issue("other", by: pki.intermediate, extensions: AttackAuthority.server)
        let aboutOther = try await factory.ocspResponse(about: other, issuer: pki.intermediate)
        #expect(
            fixture.refusal(aboutOther, at: now)
                == TransferError(.revoked, "The stapled OCSP response is about another certificate"))
        let unknown = try await factory.ocspResponse(about: pki.good, issuer: pki.intermediate, isKnown: false)
        #expect(
            fixture.refusal(unknown, at: now)
                == TransferError(.revoked, "The stapled OCSP response does not know the certificate"))
        let endless = try await factory.ocspResponse(about: pki.good, issuer: pki.intermediate, arguments: [])
        #expect(
            fixture.refusal(endless, at: now)
                == TransferError(.revoked, "The stapled OCSP response does not say how long it is valid"))
        try await factory.revoke(pki.good, by: pki.intermediate)
        let revoked = try await factory.ocspResponse(about: pki.good, issuer: pki.intermediate)
        let refusal = try #require(fixture.refusal(revoked, at: now))
        #expect(refusal.code == .revoked)
        #expect(refusal.message.hasPrefix("The certificate was revoked at 2"))
    }

    @Test("A responder must be the issuer or have the issuer's delegation")
    func signers() async throws {
        let fixture = try await Fixture()
        let (pki, factory) = (fixture.pki, fixture.pki.factory)
        let delegated = try await factory.issue(
            "responder", by: pki.intermediate, extensions: "extendedKeyUsage = OCSPSigning\n")
        let answered = try await factory.ocspResponse(about: pki.good, issuer: pki.intermediate, signer: delegated)
        #expect(fixture.refusal(answered, at: now) == nil)

        let impostor = try await factory.issue(
            "impostor", subject: "Intermediate", extensions: CertificateFactory.authority)
        let sibling = try await factory.issue("sibling", by: pki.intermediate, extensions: AttackAuthority.server)
        let ofAttacker = try await factory.issue(
            "attacker's", by: pki.attackerRoot, extensions: "extendedKeyUsage = OCSPSigning\n")
        let ofRoot = try await factory.issue("root's", by: pki.root, extensions: "extendedKeyUsage = OCSPSigning\n")
        let expired = try await factory.issue(
            "expired", by: pki.intermediate, extensions: "extendedKeyUsage = OCSPSigning\n", notAfter: "20250101000000Z"
        )
        for signer in [impostor, sibling, pki.attackerRoot, ofAttacker, ofRoot, pki.root, expired] {
            let response = try await factory.ocspResponse(about: pki.good, issuer: pki.intermediate, signer: signer)
            #expect(
                fixture.refusal(response, at: now)
                    == TransferError(
                        .revoked,
                        "The stapled OCSP response is not signed by the certificate's issuer or its responder"),
                "\(signer.certificateFile)")
        }
    }

    @Test("The issuer of a pinned certificate may be an anchor that the peer does not send")
    func anchoredIssuer() async throws {
        let pki = try await AttackAuthority.make()
        let leaf = try await pki.factory.issue("leaf", by: pki.root, extensions: AttackAuthority.server)
        var policy = pki.policy(.certificate, pinned: [leaf])
        policy.revocation = .stapled
        let evaluator = try TrustEvaluator(policy)
        let verdict = evaluator.evaluate(presented: [leaf.der], host: AttackAuthority.host, at: now)
        #expect(verdict.refusal == nil)
        #expect(verdict.path == [leaf.der, pki.root.der])
        #expect(verdict.certificates.map(\.subject) == ["CN=leaf"])
        let good = try await pki.factory.ocspResponse(about: leaf, issuer: pki.root)
        #expect(evaluator.evaluateStaple(good, path: verdict.path, at: now) == nil)
        try await pki.factory.revoke(leaf, by: pki.root)
        let revoked = try await pki.factory.ocspResponse(about: leaf, issuer: pki.root)
        let refusal = try #require(evaluator.evaluateStaple(revoked, path: verdict.path, at: now))
        #expect(refusal.code == .revoked)
        #expect(refusal.message.hasPrefix("The certificate was revoked at 2"))
    }

    @Test("A certificate may be identified by SHA-256 as well as SHA-1")
    func digests() async throws {
        let fixture = try await Fixture()
        let response = try await fixture.pki.factory.ocspResponse(
            about: fixture.pki.good, issuer: fixture.pki.intermediate, arguments: ["-nmin", "60", "-sha256"])
        #expect(fixture.refusal(response, at: now) == nil)
    }
}
