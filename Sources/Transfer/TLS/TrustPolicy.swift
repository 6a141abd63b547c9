import BinaryText

/// Whom a session takes for its peer: what certificates are asked for, and how they are judged.
///
/// The rules are those of AFNetworking's security policy, but for one: with ``allowsInvalidCertificates``, keys count
/// only where they are on the path that begins with the peer's certificate and has every signature checked.
///
/// A policy that cannot be evaluated refuses.
public struct TrustPolicy: Sendable, Hashable {
    /// What has to match a pin.
    public var pinning: Pinning
    /// The pins; one that matches is enough.
    public var pins: [CertificatePin]
    /// Which certificates may match.
    public var pinScope: PinScope
    /// Whether a chain is forgiven that ends in nobody's root, is out of date, or is another host's.
    public var allowsInvalidCertificates: Bool
    /// Whether the certificate has to be the host's (RFC 9525).
    public var validatesDomain: Bool
    /// Whose signatures are trusted.
    public var anchors: TrustAnchors
    /// Whether the peer has to show that its certificate is not revoked.
    public var revocation: RevocationCheck

    /// Creates a policy; by default a chain to one of the system's roots, in date, for the host, without pins.
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

    /// What has to match a pin.
    public enum Pinning: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none
        /// The public key of a certificate of the chain.
        case publicKey = "public_key"
        /// A certificate of the chain, byte for byte; the pins are the only anchors.
        case certificate
    }

    /// Which certificates of the chain may match a pin.
    public enum PinScope: String, Sendable, Hashable, CaseIterable {
        /// Each: the peer's, an intermediate, the root.
        case any
        /// The peer's own.
        case leaf
    }

    /// Whether the peer has to show that its certificate is not revoked.
    public enum RevocationCheck: String, Sendable, Hashable, CaseIterable {
        /// It has not.
        case off
        /// An OCSP response has to be stapled to the handshake (RFC 6066 §8), and say that the certificate is good.
        case stapled
    }
}

/// Whose signatures are trusted.
public enum TrustAnchors: Sendable, Hashable {
    /// The system's roots.
    case system
    /// These certificates only, each in DER (RFC 5280); they need not be roots.
    case certificates([[UInt8]])
}

/// A certificate or a key that a peer is recognised by.
public struct CertificatePin: Sendable, Hashable {
    /// As the configuration has it, for messages and metrics: `sha256//…`, or a file's path.
    public var label: String
    /// What is compared.
    public var content: Content

    /// Creates a pin.
    public init(label: String, _ content: Content) {
        self.label = label
        self.content = content
    }

    /// What is compared.
    public enum Content: Sendable, Hashable {
        /// The SHA-256 of a SubjectPublicKeyInfo (RFC 7469 §2.4), 32 bytes.
        case publicKey(sha256: [UInt8])
        /// A certificate in DER; with ``TrustPolicy/Pinning/publicKey`` its key.
        case certificate([UInt8])
    }
}

extension CertificatePin {
    /// What the text of a key's pin begins with.
    package static let keyPrefix = "sha256//"

    /// The pin of a key as configurations, messages and libcurl write it: `sha256//` and the Base64 of its SHA-256.
    package static func keyText(sha256: [UInt8]) -> String { keyPrefix + Base64.encode(sha256) }
}
