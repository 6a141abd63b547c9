import CertificateTrust
import Support
import Transfer

/// An honest authority, an attacker with one of its own, and what the attacker makes of both; all for `server.test`.
///
/// The attacker has every certificate that is public, and no key of the honest side.
struct AttackAuthority: Sendable {
    static let now = MatrixAuthority.now
    static let host = MatrixAuthority.host

    typealias Identity = CertificateFactory.Identity

    let factory: CertificateFactory
    let root: Identity
    let intermediate: Identity
    let good: Identity
    let attackerRoot: Identity

    static func make() async throws -> AttackAuthority {
        let factory = try CertificateFactory()
        let root = try await factory.issue("Root", extensions: CertificateFactory.authority)
        let intermediate = try await factory.issue("Intermediate", by: root, extensions: CertificateFactory.authority)
        let good = try await factory.issue("good", by: intermediate, extensions: server)
        let attackerRoot = try await factory.issue("Attacker Root", extensions: CertificateFactory.authority)
        return AttackAuthority(
            factory: factory, root: root, intermediate: intermediate, good: good, attackerRoot: attackerRoot)
    }

    /// Extensions of the server.
    static let server = CertificateFactory.server("DNS:server.test")

    /// Extensions of a server's certificate that says nothing of its issuer's key: only names lead to an issuer.
    static let serverWithoutIdentifier = server + "authorityKeyIdentifier = none\n"

    /// Extensions of an authority without a key identifier.
    static let authorityWithoutIdentifier = """
        basicConstraints = critical, CA:TRUE
        subjectKeyIdentifier = none
        authorityKeyIdentifier = none

        """

    /// The codes with which every policy that pins these certificates, or their keys, refuses a chain, in each of the
    /// modes that pin; `nil` for one that accepts it.
    func verdicts(
        _ presented: [Identity], pinning pinned: [Identity]
    ) throws -> [TransferError.Code?] {
        try pinningPolicies(pinned).map { try verdict(presented, $0).refusal?.code }
    }

    /// What a policy says about a chain.
    func verdict(_ presented: [Identity], _ policy: TrustPolicy) throws -> TrustVerdict {
        try TrustEvaluator(policy).evaluate(presented: presented.map(\.der), host: Self.host, at: Self.now)
    }

    /// Both kinds of pins, with and without forgiveness, with and without a look at the host.
    func pinningPolicies(_ pinned: [Identity]) -> [TrustPolicy] {
        var policies: [TrustPolicy] = []
        for pinning in [TrustPolicy.Pinning.publicKey, .certificate] {
            for (allowsInvalid, validatesDomain) in [(false, true), (false, false), (true, true), (true, false)] {
                policies.append(
                    policy(
                        pinning, pinned: pinned, allowsInvalid: allowsInvalid, validatesDomain: validatesDomain))
            }
        }
        return policies
    }

    /// A policy whose anchor is the honest root.
    func policy(
        _ pinning: TrustPolicy.Pinning = .none, pinned: [Identity] = [], allowsInvalid: Bool = false,
        validatesDomain: Bool = true
    ) -> TrustPolicy {
        let pins = pinned.map { CertificatePin(label: $0.certificateFile, .certificate($0.der)) }
        return TrustPolicy(
            pinning: pinning, pins: pins, allowsInvalidCertificates: allowsInvalid, validatesDomain: validatesDomain,
            anchors: .certificates([root.der]))
    }

    /// A policy that pins keys and forgives what may be forgiven.
    func forgiving(_ pinned: [Identity]) -> TrustPolicy {
        policy(.publicKey, pinned: pinned, allowsInvalid: true, validatesDomain: false)
    }
}
