/// What is asked of TLS, and shown to peers that ask.
public struct TLSOptions: Sendable, Hashable {
    /// The oldest version that is spoken, with a proxy too.
    public var minimumVersion: TLSVersion
    /// Whom the session takes for its peer.
    ///
    /// A proxy is not pinned: it is judged by the anchors, its dates and its name.
    public var trust: TrustPolicy
    /// What the session proves to peers that it is.
    public var clientCertificate: ClientCertificate?
    /// Where the values were read from.
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
