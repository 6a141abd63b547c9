import Transfer

extension TrustEvaluator {
    /// What the rules come to.
    struct Judgement {
        /// Why the peer is refused.
        var refusal: TransferError?
        /// The path of an accepted peer, and of one that only the pins refuse.
        var path: [Certificate] = []
        /// The label of the pin that matched.
        var matchedPin: String?
    }

    /// What is asked of a path.
    private enum Demands {
        /// Everything.
        case all
        /// Everything, with the pins as the anchors: not to reach one is not to match one.
        case pinnedAnchors
        /// That the chain as such is right.
        case chainOnly
    }

    /// Applies the rules in their order.
    func judge(_ chain: PresentedChain, host: String, at now: Int64) throws(CertificateError) -> Judgement {
        let isAnonymous = policy.pinning == .none || policy.pins.isEmpty
        if policy.allowsInvalidCertificates, policy.validatesDomain, isAnonymous {
            return Judgement(
                refusal: TransferError(
                    .secureConnectionFailed,
                    "The session allows invalid certificates, validates the domain and has no pins: nobody can be "
                        + "told from anybody"))
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
            // A path with broken signatures is none: only the peer's own certificate is known to be its own.
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
        if !policy.allowsInvalidCertificates {
            let path = try anchors.path(from: chain, at: now)
            if let refusal = try refusal(of: path, host: host, demands: .all) { return Judgement(refusal: refusal) }
        }
        guard let pinnedAnchors else { return Judgement(refusal: try RefusalText.pins([], scope: .any, path: [])) }
        let path = try pinnedAnchors.path(from: chain, at: now)
        if let refusal = try refusal(of: path, host: host, demands: .pinnedAnchors) {
            return Judgement(refusal: refusal)
        }
        return try judgePins(path.certificates)
    }

    /// Whether a path that is otherwise right matches a pin.
    private func judgePins(_ path: [Certificate]) throws(CertificateError) -> Judgement {
        guard let label = try pins.match(path) else {
            return Judgement(refusal: try pinRefusal(path), path: path)
        }
        return Judgement(path: path, matchedPin: label)
    }

    private func pinRefusal(_ path: [Certificate]) throws(CertificateError) -> TransferError {
        try RefusalText.pins(policy.pins.map(\.label), scope: policy.pinScope, path: path)
    }

    /// The first thing that is wrong with a path, in the order of the codes.
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
