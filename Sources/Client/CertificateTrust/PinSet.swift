import ErrandTransfer

/// The pins of a policy, prepared for comparison.
struct PinSet: Sendable {
    /// The pins' labels by the digest of the key or by the bytes of the certificate.
    private var labels: [[UInt8]: String] = [:]
    private let pinning: TrustPolicy.Pinning
    private let scope: TrustPolicy.PinScope

    /// Reads all pins; fails if any of them cannot be read.
    init(_ policy: TrustPolicy) throws(CertificateError) {
        pinning = policy.pinning
        scope = policy.pinScope
        for pin in policy.pins {
            let content = try Self.content(of: pin, pinning: policy.pinning)
            // If two pins are identical, the first one's label is used.
            if labels[content] == nil { labels[content] = pin.label }
        }
    }

    /// Returns the label of the first certificate of the path, from the peer's on, that matches a pin; `nil` if none
    /// does.
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

    /// Returns the digest or bytes that certificates are compared with.
    private static func content(
        of pin: CertificatePin, pinning: TrustPolicy.Pinning
    ) throws(CertificateError) -> [UInt8] {
        switch (pin.content, pinning) {
        case (.publicKey, .certificate):
            throw CertificateError(
                .contradiction, "The pin \(pin.label) is a key pin; expected a certificate")
        case (.publicKey(let digest), _):
            guard digest.count == 32 else {
                throw CertificateError(.malformed, "The pin \(pin.label) is not a SHA-256 digest of 32 bytes")
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
    /// The bytes of a pinned certificate; `nil` if a key is pinned.
    var certificate: [UInt8]? {
        switch content {
        case .certificate(let der): der
        case .publicKey: nil
        }
    }
}
