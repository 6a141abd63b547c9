import COpenSSL

/// The path that OpenSSL found from a peer's certificate towards an anchor, and what is wrong with it.
///
/// Each certificate but the last is signed by the next one's key, unless a fault of kind ``PathFault/Kind/chain`` says
/// otherwise.
struct CertificatePath {
    /// The peer's certificate first.
    var certificates: [Certificate]
    /// Everything that was found, each once.
    var faults: [PathFault]

    /// The first fault of a kind, counted from the peer's certificate.
    func fault(_ kind: PathFault.Kind) -> PathFault? {
        faults.filter { $0.kind == kind }.min { $0.depth < $1.depth }
    }
}

/// One thing that is wrong with a path.
struct PathFault: Hashable {
    /// What a policy may forgive, and what not.
    enum Kind {
        /// Signatures, marks of authority, purposes, constraints, weak keys, and whatever OpenSSL will find in future.
        case chain
        /// The path ends, with nothing else wrong, in nobody who is trusted.
        case anchor
        /// The time of a certificate is over.
        case expired
        /// The time of a certificate has not come.
        case notYetValid
    }

    /// What may be done about it.
    var kind: Kind
    /// The certificate's place in the path; the peer's own is 0.
    var depth: Int
    /// OpenSSL's words for it: constant, in English.
    var reason: String

    /// A fault by its number (`X509_V_ERR_…`).
    init(code: Int32, depth: Int) {
        self.kind = Self.kind(of: code)
        self.depth = depth
        self.reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
    }

    /// A fault of the chain that OpenSSL does not mind.
    init(chainReason reason: String, depth: Int) {
        self.kind = .chain
        self.depth = depth
        self.reason = reason
    }

    /// A list of what is not a fault of the chain: whatever is not on it, is.
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
