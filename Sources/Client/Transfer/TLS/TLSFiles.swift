/// The files from which the values of ``TLSOptions`` were read.
///
/// For information only; TLS ignores it.
public struct TLSFiles: Sendable, Hashable {
    /// The path of ``TrustPolicy/anchors``.
    public var anchors: String?
    /// The path of the certificate of ``TLSOptions/clientCertificate``.
    public var clientCertificate: String?
    /// The path of its key; `nil` when both are in one file.
    public var clientKey: String?
    /// True if the key was encrypted with a password.
    public var hasClientKeyPassword: Bool

    /// Creates a value from its parts; by default nothing was read from a file.
    public init(
        anchors: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil,
        hasClientKeyPassword: Bool = false
    ) {
        self.anchors = anchors
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.hasClientKeyPassword = hasClientKeyPassword
    }
}
