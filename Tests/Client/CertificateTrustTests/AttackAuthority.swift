import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer

/// A legitimate CA, an attacker's CA, and the certificates that the attacker makes of both; all for `server.test`.
///
/// The attacker has every public certificate, and no key of the legitimate side.
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

    /// The extensions of the server.
    static let server = CertificateFactory.server("DNS:server.test")

    /// The extensions of a server's certificate without an identifier of its issuer's key: only names lead to an
    /// issuer.
    static let serverWithoutIdentifier = server + "authorityKeyIdentifier = none\n"

    /// The extensions of a CA without a key identifier.
    static let authorityWithoutIdentifier = """
        basicConstraints = critical, CA:TRUE
        subjectKeyIdentifier = none
        authorityKeyIdentifier = none

        """

    /// Returns the errors with which policies that pin these certificates or their keys refuse a chain.
    ///
    /// There is one for each mode that pins; `nil` if the chain is accepted.
    func verdicts(
        _ presented: [Identity], pinning pinned: [Identity]
    ) throws -> [TransferError.Code?] {
        try pinningPolicies(pinned).map { try verdict(presented, $0).refusal?.code }
    }

    /// Returns the verdict of a policy on a chain.
    func verdict(_ presented: [Identity], _ policy: TrustPolicy) throws -> TrustVerdict {
        try TrustEvaluator(policy).evaluate(presented: presented.map(\.der), host: Self.host, at: Self.now)
    }

    /// Returns policies for both kinds of pins, with and without tolerance, with and without a check of the host.
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

    /// Returns a policy whose anchor is the legitimate root.
    func policy(
        _ pinning: TrustPolicy.Pinning = .none, pinned: [Identity] = [], allowsInvalid: Bool = false,
        validatesDomain: Bool = true
    ) -> TrustPolicy {
        let pins = pinned.map { CertificatePin(label: $0.certificateFile, .certificate($0.der)) }
        return TrustPolicy(
            pinning: pinning, pins: pins, allowsInvalidCertificates: allowsInvalid, validatesDomain: validatesDomain,
            anchors: .certificates([root.der]))
    }

    /// Returns a policy that pins keys and tolerates everything that may be tolerated.
    func forgiving(_ pinned: [Identity]) -> TrustPolicy {
        policy(.publicKey, pinned: pinned, allowsInvalid: true, validatesDomain: false)
    }
}
