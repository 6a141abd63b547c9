public import ErrandTransfer

/// Evaluates the certificates of peers by a trust policy.
///
/// The rules, in this order (the same as AFNetworking's unless stated otherwise):
/// 1. `allowsInvalidCertificates` together with `validatesDomain` and without anything to identify the peer by (no
///    pinning, or no pins) is contradictory: every peer is refused.
/// 2. A path is searched from the peer's certificate to an anchor: signatures, CA marks, constraints, the purpose TLS
///    server, keys and digests of at least 112 bits, dates. With `validatesDomain` the certificate must also be for the
///    host (RFC 9525).
/// 3. Without pinning, `allowsInvalidCertificates` accepts every peer. Otherwise step 2 must succeed, in addition to
///    any pins.
/// 4. Pinned certificates: step 2 must succeed once more with the pins as the only anchors, including dates and host,
///    even with `allowsInvalidCertificates`. A certificate of that path must be pinned.
/// 5. Pinned keys: the key of a certificate of the path must be pinned. With `allowsInvalidCertificates` only a missing
///    anchor, the dates and the host are tolerated. A certificate that is presented but not on the path never counts
///    (unlike in AFNetworking: any server can append a certificate).
///
/// With `PinScope.leaf` only the peer's own certificate or key matches. Of several faults one is reported, in this
/// order: unreadable certificates or a contradictory policy (`secure_connection_failed`); the chain and its anchor
/// (`untrusted_root`); dates, from the peer's certificate upwards (`certificate_expired`, `certificate_not_yet_valid`);
/// the host (`host_mismatch`); the pins (`pin_mismatch`; with pinned certificates also if the chain does not end in
/// one).
///
/// May be used on any thread; a call takes about 0.4 ms of CPU time, mostly for checking signatures.
public final class TrustEvaluator: Sendable {
    /// The policy.
    public let policy: TrustPolicy
    let pins: PinSet
    /// The anchors of step 2.
    let anchors: AnchorStore
    /// The pinned certificates as the anchors of step 4; `nil` if no certificates are pinned.
    let pinnedAnchors: AnchorStore?

    /// Creates an evaluator: reads the pins and anchors of the policy, once for all peers.
    ///
    /// - Throws: ``CertificateError`` if any pin or anchor cannot be read.
    package init(_ policy: TrustPolicy) throws(CertificateError) {
        self.policy = policy
        pins = try PinSet(policy)
        pinnedAnchors =
            policy.pinning == .certificate ? try Self.store(.certificates(policy.pins.compactMap(\.certificate))) : nil
        // If only the pinned certificates are required to be valid, the other anchors are not needed.
        let isUnused = policy.pinning == .certificate && policy.allowsInvalidCertificates
        anchors = try Self.store(isUnused ? .certificates([]) : policy.anchors)
    }

    /// Evaluates the certificates that a peer presented.
    ///
    /// - Parameters:
    ///   - presented: Certificates in DER, the peer's own first, as in the TLS message (RFC 8446 §4.4.2).
    ///   - host: The host as in the URL: a name in ASCII, a dotted IPv4 address, or an IPv6 address in brackets.
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
                path: try Self.pathToIssuer(judgement.path, candidates: judgement.anchored + chain.others))
        } catch {
            return TrustVerdict(refusal: TransferError(.secureConnectionFailed, error.message), certificates: [])
        }
    }

    /// Checks the OCSP response that a peer stapled to the handshake (RFC 6066 §8, RFC 6960).
    ///
    /// The issuer of the peer's certificate, or a responder that it has delegated to, must have signed the response.
    /// The response must declare this certificate good and be current, with a tolerance of five minutes. Dates are
    /// checked even if the policy tolerates those of the path.
    ///
    /// - Parameters:
    ///   - response: The response; `nil` if none was stapled.
    ///   - path: The path in the verdict that accepted the peer.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` if the certificate is good; otherwise an error with the code `revoked`.
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

    /// Returns a path in DER, extended to the issuer of the first certificate if it is one of the candidates.
    ///
    /// A pinned certificate ends a path, but its issuer confirms its status.
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
