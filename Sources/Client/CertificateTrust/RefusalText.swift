import ErrandTransfer

/// Creates the errors for refused peers: expected and found values, limited in length, with the peer's text escaped.
enum RefusalText {
    /// The most names, labels or certificates listed in one message.
    private static let listed = 8

    /// Returns the error for a fault of the chain.
    static func chain(_ fault: PathFault, in path: [Certificate]) -> TransferError {
        let subject = subject(at: fault.depth, in: path)
        return TransferError(.untrustedRoot, "The certificate chain is not valid: \(fault.reason) (\(subject))")
    }

    /// Returns the error for a path that does not end in a trust anchor.
    static func anchor(_ path: [Certificate]) -> TransferError {
        guard let top = path.last else { return TransferError(.untrustedRoot, "The peer has no certificate chain") }
        guard !top.isSelfIssued else {
            return TransferError(
                .untrustedRoot, "The certificate chain ends in \(top.subject), which is not a trusted certificate")
        }
        return TransferError(
            .untrustedRoot, "The certificate chain ends in \(top.subject), whose issuer \(top.issuer) is not trusted")
    }

    /// Returns the error for a certificate that has expired or is not valid yet.
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

    /// Returns the error for a certificate of another host.
    static func host(_ host: String, _ leaf: Certificate) -> TransferError {
        let names = leaf.hostNames(limit: listed + 1)
        let holder = names.isEmpty ? "no host name (\(leaf.subject))" : list(names)
        return TransferError(
            .hostMismatch, "The certificate is not for \(printable(Array(host.utf8))): it is for \(holder)")
    }

    /// Returns the error for a path that matches no pin.
    static func pins(
        _ labels: [String], scope: TrustPolicy.PinScope, path: [Certificate]
    ) throws(CertificateError) -> TransferError {
        guard !labels.isEmpty else {
            return TransferError(.pinMismatch, "The session requires pinned certificates but has no pins")
        }
        var came: [String] = []
        for certificate in (scope == .leaf ? path.prefix(1) : path[...]).prefix(listed + 1) {
            let key = CertificatePin.keyText(sha256: try certificate.publicKeySHA256())
            came.append("\(certificate.subject) \(key)")
        }
        return TransferError(
            .pinMismatch,
            "No pin matches: expected \(list(labels.map { printable(Array($0.utf8)) })); found \(list(came))")
    }

    private static func subject(at depth: Int, in path: [Certificate]) -> String {
        path.indices.contains(depth) ? path[depth].subject : "unknown"
    }

    private static func list(_ texts: [String]) -> String {
        let rest = texts.count > listed ? ", …" : ""
        return texts.prefix(listed).joined(separator: ", ") + rest
    }
}
