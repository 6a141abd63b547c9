/// The TLS settings of a session.
public struct TLSOptions: Sendable, Hashable {
    /// The oldest accepted version, also for connections to a proxy.
    public var minimumVersion: TLSVersion
    /// The rules by which certificates of peers are validated.
    ///
    /// Pins do not apply to a proxy: its certificate is validated by the anchors, its dates and its name.
    public var trust: TrustPolicy
    /// The certificate that the session presents to peers that request one.
    public var clientCertificate: ClientCertificate?
    /// The files from which the values were read.
    public var files: TLSFiles

    /// Creates options; TLS 1.2, the default policy and no certificate by default.
    public init(
        minimumVersion: TLSVersion = .tls12, trust: TrustPolicy = TrustPolicy(),
        clientCertificate: ClientCertificate? = nil, files: TLSFiles = TLSFiles()
    ) {
        self.minimumVersion = minimumVersion
        self.trust = trust
        self.clientCertificate = clientCertificate
        self.files = files
    }
}

/// Versions of TLS.
public enum TLSVersion: String, Sendable, Hashable, CaseIterable {
    /// RFC 5246.
    case tls12 = "1.2"
    /// RFC 8446.
    case tls13 = "1.3"
}
