package import Transfer

/// Judges the certificates of peers by a policy.
///
/// The rules, in their order (AFNetworking's, where not said otherwise):
/// 1. `allowsInvalidCertificates` with `validatesDomain` and nothing to recognise the peer by (no pinning, or no pins)
///    contradict each other: everybody is refused.
/// 2. A path is searched from the peer's certificate to an anchor: signatures, marks of authority, constraints, TLS
///    server as the purpose, keys and digests of at least 112 bits, dates. With `validatesDomain` the certificate has
///    to be for the host too (RFC 9525).
/// 3. Without pinning, `allowsInvalidCertificates` accepts anything; otherwise all of step 2 has to hold, before and
///    besides any pin.
/// 4. Pinning certificates: step 2 has to hold once more with the pins as the only anchors, dates and host included,
///    even with `allowsInvalidCertificates`; then a certificate of that path has to be a pin.
/// 5. Pinning keys: the key of a certificate on the path has to be a pin's. With `allowsInvalidCertificates` a missing
///    anchor, dates and the host are forgiven, and nothing else. A certificate that is presented but not on the path
///    never counts (this differs from AFNetworking: anybody can append a certificate).
///
/// With `PinScope.leaf` only the peer's own certificate or key matches. Of several faults one is told: first that the
/// certificates cannot be read or the policy is contradictory (`secure_connection_failed`), then the chain and its
/// anchor (`untrusted_root`), dates from the peer's certificate upwards (`certificate_expired`,
/// `certificate_not_yet_valid`), the host (`host_mismatch`), the pins (`pin_mismatch`; with certificates pinned also
/// where the chain does not end in one).
///
/// It is used from any thread; a call computes for some 0.4 ms, most of it to check signatures.
package final class TrustEvaluator: Sendable {
    /// The policy that is evaluated.
    package let policy: TrustPolicy
    let pins: PinSet
    /// Of step 2.
    let anchors: AnchorStore
    /// Of step 4: the pinned certificates; `nil` without them.
    let pinnedAnchors: AnchorStore?

    /// Prepares a policy: reads its pins and anchors, once for all peers.
    ///
    /// - Throws: When a pin or an anchor cannot be read: none is left out.
    package init(_ policy: TrustPolicy) throws(CertificateError) {
        self.policy = policy
        pins = try PinSet(policy)
        pinnedAnchors =
            policy.pinning == .certificate ? try Self.store(.certificates(policy.pins.compactMap(\.certificate))) : nil
        // With pinned certificates that are the only ones to hold, nobody else is asked.
        let isUnused = policy.pinning == .certificate && policy.allowsInvalidCertificates
        anchors = try Self.store(isUnused ? .certificates([]) : policy.anchors)
    }

    /// Judges what a peer presented.
    ///
    /// - Parameters:
    ///   - presented: Certificates in DER, the peer's own first, as in the TLS message (RFC 8446 §4.4.2).
    ///   - host: As in the URL: a name in ASCII, a dotted IPv4 address, an IPv6 address in brackets.
    ///   - now: Seconds since 1970.
    package func evaluate(presented: [[UInt8]], host: String, at now: Int64) -> TrustVerdict {
        do {
            let chain = try PresentedChain(presented)
            let judgement = try judge(chain, host: host, at: now)
            guard judgement.refusal == nil else {
                let told = judgement.path.isEmpty ? chain.certificates : judgement.path
                return TrustVerdict(refusal: judgement.refusal, certificates: try Self.summaries(told))
            }
            return TrustVerdict(
                certificates: try Self.summaries(judgement.path), matchedPin: judgement.matchedPin,
                path: try Self.pathToIssuer(judgement.path, candidates: chain.others))
        } catch {
            return TrustVerdict(refusal: TransferError(.secureConnectionFailed, error.message), certificates: [])
        }
    }

    /// Judges the OCSP response that a peer stapled to the handshake (RFC 6066 §8, RFC 6960).
    ///
    /// It has to be signed by the issuer of the peer's certificate, or by whom the issuer made its responder; to say that
    /// this certificate is good; and to be of now, with five minutes of tolerance. Dates count here even where the policy
    /// forgives those of the path.
    ///
    /// - Parameters:
    ///   - response: `nil` when none was stapled.
    ///   - path: That of the verdict which accepted the peer.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` when the certificate is shown to be good; otherwise an error with the code `revoked`.
    package func evaluateStaple(_ response: [UInt8]?, path: [[UInt8]], at now: Int64) -> TransferError? {
        do {
            try StapledResponse.requireGood(response, path: path, at: now)
            return nil
        } catch {
            return TransferError(.revoked, error.message)
        }
    }

    private static func store(_ anchors: TrustAnchors) throws(CertificateError) -> AnchorStore {
        switch anchors {
        case .system:
            return try SystemAnchors.current()
        case .certificates(let encoded):
            var certificates: [Certificate] = []
            for (index, der) in encoded.enumerated() {
                certificates.append(try Certificate(der: der, name: "Anchor \(index + 1)"))
            }
            return try AnchorStore(certificates: certificates)
        }
    }

    private static func summaries(_ certificates: [Certificate]) throws(CertificateError) -> [CertificateSummary] {
        var summaries: [CertificateSummary] = []
        for certificate in certificates { summaries.append(try CertificateSummary(certificate)) }
        return summaries
    }

    /// A path in DER, at least to the issuer of the first certificate when that was presented: a pinned certificate ends
    /// a path, and yet its issuer is who vouches for its status.
    private static func pathToIssuer(
        _ path: [Certificate], candidates: [Certificate]
    ) throws(CertificateError) -> [[UInt8]] {
        var path = path
        if path.count == 1, !path[0].isSelfIssued, let issuer = candidates.first(where: path[0].isIssued(by:)) {
            path.append(issuer)
        }
        var encoded: [[UInt8]] = []
        for certificate in path { encoded.append(try certificate.der()) }
        return encoded
    }
}
