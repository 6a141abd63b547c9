import ErrandText

/// The rules by which a session validates the certificates of its peers.
///
/// The rules are those of AFNetworking's security policy, with one exception: with ``allowsInvalidCertificates``, a
/// public key pin matches only certificates on the path that begins with the peer's certificate and has every signature
/// verified.
///
/// A policy that cannot be evaluated rejects the peer.
public struct TrustPolicy: Sendable, Hashable {
    /// The part of a certificate that must match a pin.
    public var pinning: Pinning
    /// The pins; one match is enough.
    public var pins: [CertificatePin]
    /// The certificates of the chain that may match a pin.
    public var pinScope: PinScope
    /// True if untrusted, expired or not yet valid certificates and those of another host are accepted.
    public var allowsInvalidCertificates: Bool
    /// True if the certificate must match the host name (RFC 9525).
    public var validatesDomain: Bool
    /// The trusted root certificates.
    public var anchors: TrustAnchors
    /// The required proof that the peer's certificate is not revoked.
    public var revocation: RevocationCheck

    /// Creates a policy.
    ///
    /// By default the chain must lead to a system root, be in date and match the host; there are no pins.
    public init(
        pinning: Pinning = .none, pins: [CertificatePin] = [], pinScope: PinScope = .any,
        allowsInvalidCertificates: Bool = false, validatesDomain: Bool = true, anchors: TrustAnchors = .system,
        revocation: RevocationCheck = .off
    ) {
        self.pinning = pinning
        self.pins = pins
        self.pinScope = pinScope
        self.allowsInvalidCertificates = allowsInvalidCertificates
        self.validatesDomain = validatesDomain
        self.anchors = anchors
        self.revocation = revocation
    }

    /// The part of a certificate that must match a pin.
    public enum Pinning: String, Sendable, Hashable, CaseIterable {
        /// No pinning.
        case none
        /// The public key of a certificate of the chain.
        case publicKey = "public_key"
        /// A certificate of the chain, byte for byte; the pins are the only anchors.
        case certificate
    }

    /// The certificates of the chain that may match a pin.
    public enum PinScope: String, Sendable, Hashable, CaseIterable {
        /// Every certificate: the peer's, an intermediate, the root.
        case any
        /// Only the peer's own certificate.
        case leaf
    }

    /// The required proof that the peer's certificate is not revoked.
    public enum RevocationCheck: String, Sendable, Hashable, CaseIterable {
        /// No proof is required.
        case off
        /// An OCSP response must be stapled to the handshake (RFC 6066 §8) and state that the certificate is good.
        case stapled
    }
}

/// The trusted root certificates.
public enum TrustAnchors: Sendable, Hashable {
    /// The system's roots.
    case system
    /// Only these certificates, each in DER (RFC 5280); they need not be self-signed.
    case certificates([[UInt8]])
}

/// A certificate or public key expected from a peer.
public struct CertificatePin: Sendable, Hashable {
    /// The pin as configured, for messages and metrics: `sha256//…`, or a file's path.
    public var label: String
    /// The expected key or certificate.
    public var content: Content

    /// Creates a pin.
    public init(label: String, _ content: Content) {
        self.label = label
        self.content = content
    }

    /// The expected key or certificate.
    public enum Content: Sendable, Hashable {
        /// The SHA-256 of a SubjectPublicKeyInfo (RFC 7469 §2.4), 32 bytes.
        case publicKey(sha256: [UInt8])
        /// A certificate in DER; with ``TrustPolicy/Pinning/publicKey`` only its key is compared.
        case certificate([UInt8])
    }
}

extension CertificatePin {
    /// The prefix of a public key pin in text form.
    package static let keyPrefix = "sha256//"

    /// Returns the text form of a public key pin, as libcurl writes it: `sha256//` and the Base64 of the key's SHA-256.
    package static func keyText(sha256: [UInt8]) -> String { keyPrefix + Base64.encode(sha256) }
}
