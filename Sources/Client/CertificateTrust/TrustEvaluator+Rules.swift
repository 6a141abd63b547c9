import ErrandTransfer

extension TrustEvaluator {
    /// The result of applying the rules.
    struct Judgement {
        /// The error with which the peer is refused.
        var refusal: TransferError?
        /// The path of a peer that was accepted or refused by the pins only.
        var path: [Certificate] = []
        /// The certificates of the path to an anchor, if another path leads to a pin; the issuer may be among them.
        var anchored: [Certificate] = []
        /// The label of the pin that matched.
        var matchedPin: String?
    }

    /// The requirements that a path must meet.
    private enum Demands {
        /// All requirements.
        case all
        /// All requirements, with the pins as the anchors: a path that reaches no anchor matches no pin.
        case pinnedAnchors
        /// A valid chain; anchor, dates and host are tolerated.
        case chainOnly
    }

    /// Applies the rules in order.
    func judge(_ chain: PresentedChain, host: String, at now: Int64) throws(CertificateError) -> Judgement {
        let isAnonymous = policy.pinning == .none || policy.pins.isEmpty
        if policy.allowsInvalidCertificates, policy.validatesDomain, isAnonymous {
            return Judgement(
                refusal: TransferError(
                    .secureConnectionFailed,
                    "The session allows invalid certificates, validates the domain and has no pins, so that no peer "
                        + "can be identified"))
        }
        switch policy.pinning {
        case .none: return try judgeUnpinned(chain, host: host, at: now)
        case .publicKey: return try judgePinnedKeys(chain, host: host, at: now)
        case .certificate: return try judgePinnedCertificates(chain, host: host, at: now)
        }
    }

    private func judgeUnpinned(
        _ chain: PresentedChain, host: String, at now: Int64
    ) throws(CertificateError) -> Judgement {
        let path = try anchors.path(from: chain, at: now)
        if policy.allowsInvalidCertificates {
            // If signatures are invalid, there is no path; only the peer's own certificate can be attributed to it.
            return Judgement(path: path.fault(.chain) == nil ? path.certificates : [chain.leaf])
        }
        if let refusal = try refusal(of: path, host: host, demands: .all) { return Judgement(refusal: refusal) }
        return Judgement(path: path.certificates)
    }

    private func judgePinnedKeys(
        _ chain: PresentedChain, host: String, at now: Int64
    ) throws(CertificateError) -> Judgement {
        let path = try anchors.path(from: chain, at: now)
        let demands: Demands = policy.allowsInvalidCertificates ? .chainOnly : .all
        if let refusal = try refusal(of: path, host: host, demands: demands) { return Judgement(refusal: refusal) }
        return try judgePins(path.certificates)
    }

    private func judgePinnedCertificates(
        _ chain: PresentedChain, host: String, at now: Int64
    ) throws(CertificateError) -> Judgement {
        var anchored: [Certificate] = []
        if !policy.allowsInvalidCertificates {
            let path = try anchors.path(from: chain, at: now)
            if let refusal = try refusal(of: path, host: host, demands: .all) { return Judgement(refusal: refusal) }
            anchored = path.certificates
        }
        guard let pinnedAnchors else { return Judgement(refusal: try RefusalText.pins([], scope: .any, path: [])) }
        let path = try pinnedAnchors.path(from: chain, at: now)
        if let refusal = try refusal(of: path, host: host, demands: .pinnedAnchors) {
            return Judgement(refusal: refusal)
        }
        var judgement = try judgePins(path.certificates)
        judgement.anchored = anchored
        return judgement
    }

    /// Checks whether an otherwise valid path matches a pin.
    private func judgePins(_ path: [Certificate]) throws(CertificateError) -> Judgement {
        guard let label = try pins.match(path) else {
            return Judgement(refusal: try pinRefusal(path), path: path)
        }
        return Judgement(path: path, matchedPin: label)
    }

    private func pinRefusal(_ path: [Certificate]) throws(CertificateError) -> TransferError {
        try RefusalText.pins(policy.pins.map(\.label), scope: policy.pinScope, path: path)
    }

    /// Returns the error for the first fault of a path, in the order of the error codes.
    private func refusal(
        of path: CertificatePath, host: String, demands: Demands
    ) throws(CertificateError) -> TransferError? {
        if let fault = path.fault(.chain) { return RefusalText.chain(fault, in: path.certificates) }
        guard demands != .chainOnly else { return nil }
        let isUnanchored = path.fault(.anchor) != nil
        if isUnanchored, demands == .all { return RefusalText.anchor(path.certificates) }
        let dates = [path.fault(.expired), path.fault(.notYetValid)].compactMap(\.self)
        if let fault = dates.min(by: { $0.depth < $1.depth }) {
            return try RefusalText.date(fault, in: path.certificates)
        }
        if policy.validatesDomain, let leaf = path.certificates.first, !HostIdentity(host).isHost(of: leaf) {
            return RefusalText.host(host, leaf)
        }
        return isUnanchored ? try pinRefusal(path.certificates) : nil
    }
}
