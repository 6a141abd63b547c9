package import ErrandTransfer

/// A combination of settings of a session's trust policy that protects nothing, or that no peer can satisfy.
package enum TrustProblem: Sendable, Hashable {
    /// The session pins but has no base URL: pins belong to one server, and would refuse every other one.
    case pinningWithoutBaseURL
    /// The session pins but its base URL is `http`: no certificate would ever be compared.
    case pinningWithoutTLS
    /// The session pins but has no pin.
    case noPins
    /// The session pins certificates but has the pin of a key.
    case keyAmongCertificates
    /// Invalid certificates are allowed, the domain is validated and nothing is pinned, so that no peer can be
    /// identified.
    case noIdentity

    /// The message for users: a sentence without a full stop.
    package var message: String {
        switch self {
        case .pinningWithoutBaseURL: "Pinning requires a base URL, because pins belong to one server"
        case .pinningWithoutTLS: "Pinning requires a base URL with https"
        case .noPins: "Pinning requires at least one pin"
        case .keyAmongCertificates: "Pinning of certificates requires certificates, found the pin of a key"
        case .noIdentity:
            "Every certificate would be refused, because invalid ones are allowed but the domain is validated; "
                + "set pinning, or validatesDomain to false"
        }
    }
}

extension SessionConfiguration {
    /// The problems of the trust policy, in the order of ``TrustProblem``; empty if it is useful.
    package var trustProblems: [TrustProblem] {
        let trust = connection.tls.trust
        guard trust.pinning != .none else {
            return trust.allowsInvalidCertificates && trust.validatesDomain ? [.noIdentity] : []
        }
        var problems: [TrustProblem] = []
        switch baseURL?.scheme {
        case nil: problems.append(.pinningWithoutBaseURL)
        case .http?: problems.append(.pinningWithoutTLS)
        case .https?: break
        }
        if trust.pins.isEmpty { problems.append(.noPins) }
        if trust.pinning == .certificate, trust.pins.contains(where: \.content.isKey) {
            problems.append(.keyAmongCertificates)
        }
        return problems
    }

    /// Checks the trust policy.
    ///
    /// - Throws: The first of the ``trustProblems`` as an error with the code
    ///   ``SessionErrorCode/secureConnectionFailed``, which is not retryable.
    package func checkTrust() throws(SessionError) {
        if let problem = trustProblems.first {
            throw SessionError(.secureConnectionFailed, problem.message, isRetryable: false)
        }
    }
}

extension CertificatePin.Content {
    /// True for the digest of a key.
    package var isKey: Bool {
        if case .publicKey = self { true } else { false }
    }
}
