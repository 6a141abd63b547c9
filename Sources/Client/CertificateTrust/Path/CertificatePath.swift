import CErrandOpenSSL

/// The path that OpenSSL found from a peer's certificate towards an anchor, with its faults.
///
/// Each certificate but the last is signed by the next one's key, unless there is a fault of kind
/// ``PathFault/Kind/chain``.
struct CertificatePath {
    /// The certificates, the peer's own first.
    var certificates: [Certificate]
    /// All faults that were found, without duplicates.
    var faults: [PathFault]

    /// Returns the first fault of a kind, counted from the peer's certificate.
    func fault(_ kind: PathFault.Kind) -> PathFault? {
        faults.filter { $0.kind == kind }.min { $0.depth < $1.depth }
    }
}

/// One fault of a path.
struct PathFault: Hashable {
    /// The kinds of faults, which differ in whether a policy may tolerate them.
    enum Kind {
        /// Signatures, CA marks, purposes, constraints, weak keys, and any error that a future OpenSSL may add.
        case chain
        /// The path is otherwise valid but does not end in a trust anchor.
        case anchor
        /// A certificate has expired.
        case expired
        /// A certificate is not valid yet.
        case notYetValid
    }

    /// The kind of the fault.
    var kind: Kind
    /// The certificate's place in the path; the peer's own is 0.
    var depth: Int
    /// OpenSSL's description of the fault: a constant English text.
    var reason: String

    /// Creates a fault from an OpenSSL error (`X509_V_ERR_…`).
    init(code: Int32, depth: Int) {
        self.kind = Self.kind(of: code)
        self.depth = depth
        self.reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
    }

    /// Creates a fault of the chain that OpenSSL does not report.
    init(chainReason reason: String, depth: Int) {
        self.kind = .chain
        self.depth = depth
        self.reason = reason
    }

    /// Returns the kind of an error; every error that is not listed is a fault of the chain.
    private static func kind(of code: Int32) -> Kind {
        switch code {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            .anchor
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        default: .chain
        }
    }
}
