import Transfer

/// The pins of a policy, ready to compare.
struct PinSet: Sendable {
    /// Labels by what a certificate is recognised by: the digest of its key, or its own bytes.
    private var labels: [[UInt8]: String] = [:]
    private let pinning: TrustPolicy.Pinning
    private let scope: TrustPolicy.PinScope

    /// Reads every pin; one that cannot be read makes the whole unusable.
    init(_ policy: TrustPolicy) throws(CertificateError) {
        pinning = policy.pinning
        scope = policy.pinScope
        for pin in policy.pins {
            let content = try Self.content(of: pin, pinning: policy.pinning)
            // Of two pins for the same the first is named.
            if labels[content] == nil { labels[content] = pin.label }
        }
    }

    /// The pin that a certificate of a path matches, and its label: the first from the peer's certificate on.
    func match(_ path: [Certificate]) throws(CertificateError) -> String? {
        for certificate in scope == .leaf ? path.prefix(1) : path[...] {
            let content =
                switch pinning {
                case .certificate: try certificate.der()
                case .none, .publicKey: try certificate.publicKeySHA256()
                }
            if let label = labels[content] { return label }
        }
        return nil
    }

    /// What a certificate is compared with.
    private static func content(
        of pin: CertificatePin, pinning: TrustPolicy.Pinning
    ) throws(CertificateError) -> [UInt8] {
        switch (pin.content, pinning) {
        case (.publicKey, .certificate):
            throw CertificateError(
                .contradiction, "The pin \(pin.label) is a key's: certificates are pinned by certificates")
        case (.publicKey(let digest), _):
            guard digest.count == 32 else {
                throw CertificateError(.malformed, "The pin \(pin.label) is no SHA-256: it has not 32 bytes")
            }
            return digest
        case (.certificate(let der), .certificate):
            return try Certificate(der: der, name: "The pin \(pin.label)").der()
        case (.certificate(let der), _):
            return try Certificate(der: der, name: "The pin \(pin.label)").publicKeySHA256()
        }
    }
}

extension CertificatePin {
    /// The certificate, when it is one that is pinned and not a key.
    var certificate: [UInt8]? {
        switch content {
        case .certificate(let der): der
        case .publicKey: nil
        }
    }
}
