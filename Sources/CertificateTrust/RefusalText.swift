import Transfer

/// The errors of refused peers: what was expected and what came, bounded, with the peer's text escaped.
enum RefusalText {
    /// The most names, labels or certificates that one message lists.
    private static let listed = 8

    /// OpenSSL's objection to the chain.
    static func chain(_ fault: PathFault, in path: [Certificate]) -> TransferError {
        let subject = subject(at: fault.depth, in: path)
        return TransferError(.untrustedRoot, "The certificate chain is not valid: \(fault.reason) (\(subject))")
    }

    /// The end of the path is nobody who is trusted.
    static func anchor(_ path: [Certificate]) -> TransferError {
        guard let top = path.last else { return TransferError(.untrustedRoot, "There is no certificate chain") }
        guard !top.isSelfIssued else {
            return TransferError(
                .untrustedRoot, "The certificate chain ends in \(top.subject), which nobody who is trusted vouches for")
        }
        return TransferError(
            .untrustedRoot, "The certificate chain ends in \(top.subject), whose issuer \(top.issuer) is not trusted")
    }

    /// A certificate's time is over, or has not come.
    static func date(_ fault: PathFault, in path: [Certificate]) throws(CertificateError) -> TransferError {
        guard path.indices.contains(fault.depth) else { return chain(fault, in: path) }
        let summary = try CertificateSummary(path[fault.depth])
        return if fault.kind == .expired {
            TransferError(
                .certificateExpired, "The certificate of \(summary.subject) expired at \(dateText(summary.notAfter))")
        } else {
            TransferError(
                .certificateNotYetValid,
                "The certificate of \(summary.subject) is not valid before \(dateText(summary.notBefore))")
        }
    }

    /// The certificate is another host's.
    static func host(_ host: String, _ leaf: Certificate) -> TransferError {
        let names = leaf.hostNames(limit: listed + 1)
        let holder = names.isEmpty ? "nobody by name (\(leaf.subject))" : list(names)
        return TransferError(
            .hostMismatch, "The certificate is not for \(printable(Array(host.utf8))): it is for \(holder)")
    }

    /// No pin matched.
    static func pins(
        _ labels: [String], scope: TrustPolicy.PinScope, path: [Certificate]
    ) throws(CertificateError) -> TransferError {
        guard !labels.isEmpty else {
            return TransferError(.pinMismatch, "The session pins certificates and has no pins")
        }
        var came: [String] = []
        for certificate in (scope == .leaf ? path.prefix(1) : path[...]).prefix(listed + 1) {
            let key = CertificatePin.keyText(sha256: try certificate.publicKeySHA256())
            came.append("\(certificate.subject) \(key)")
        }
        return TransferError(
            .pinMismatch,
            "No pin matches: expected \(list(labels.map { printable(Array($0.utf8)) })); came \(list(came))")
    }

    private static func subject(at depth: Int, in path: [Certificate]) -> String {
        path.indices.contains(depth) ? path[depth].subject : "unknown"
    }

    private static func list(_ texts: [String]) -> String {
        let rest = texts.count > listed ? ", …" : ""
        return texts.prefix(listed).joined(separator: ", ") + rest
    }
}
