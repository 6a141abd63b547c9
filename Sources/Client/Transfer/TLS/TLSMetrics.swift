/// The negotiated TLS parameters and the peer's certificates of the connection that a transfer used, which an earlier
/// transfer may have opened.
public struct TLSMetrics: Sendable, Hashable {
    /// The version, such as `1.3`; `nil` when the handshake was not completed.
    public var version: String?
    /// The cipher suite by its IANA name, such as `TLS_AES_256_GCM_SHA384`; `nil` when the handshake was not completed.
    public var cipher: String?
    /// The certificates, the peer's own first: the validated path, or the chain that the peer presented if validation
    /// failed for more than a pin.
    public var certificates: [CertificateSummary]
    /// The label of the pin that matched.
    public var matchedPin: String?

    /// Creates metrics from their parts.
    public init(
        version: String? = nil, cipher: String? = nil, certificates: [CertificateSummary] = [],
        matchedPin: String? = nil
    ) {
        self.version = version
        self.cipher = cipher
        self.certificates = certificates
        self.matchedPin = matchedPin
    }
}

/// A summary of a certificate.
public struct CertificateSummary: Sendable, Hashable {
    /// The subject's name (RFC 4514), of bounded length; it comes from the peer.
    public var subject: String
    /// The issuer's name (RFC 4514), of bounded length; it comes from the peer.
    public var issuer: String
    /// The SHA-256 of the certificate, 32 bytes.
    public var sha256: [UInt8]
    /// The SHA-256 of its SubjectPublicKeyInfo, 32 bytes; public key pins compare it.
    public var publicKeySHA256: [UInt8]
    /// The start of its validity period, in seconds since 1970 (inclusive).
    public var notBefore: Int64
    /// The end of its validity period, in seconds since 1970 (inclusive).
    public var notAfter: Int64

    /// Creates a summary from its parts.
    public init(
        subject: String, issuer: String, sha256: [UInt8], publicKeySHA256: [UInt8], notBefore: Int64, notAfter: Int64
    ) {
        self.subject = subject
        self.issuer = issuer
        self.sha256 = sha256
        self.publicKeySHA256 = publicKeySHA256
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// The pin that recognises the key: `sha256//` and the Base64 of ``publicKeySHA256``, as libcurl writes it.
    public var publicKeyPin: String { CertificatePin.keyText(sha256: publicKeySHA256) }
}
