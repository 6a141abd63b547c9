/// A certificate with its private key, presented to peers that request one (RFC 8446 §4.3.2).
public struct ClientCertificate: Sendable, Hashable {
    /// The chain in DER, the certificate itself first.
    public var chain: [[UInt8]]
    /// The private key in PKCS #8, DER, not encrypted.
    ///
    /// A secret: it appears in no description.
    public var privateKey: [UInt8]
    /// The origins to which the certificate is presented; empty for all.
    ///
    /// Credentials do not leave the origin they were given for.
    public var origins: Set<HTTPURL.Origin>

    /// Creates a certificate; presented to all origins by default.
    public init(chain: [[UInt8]], privateKey: [UInt8], origins: Set<HTTPURL.Origin> = []) {
        self.chain = chain
        self.privateKey = privateKey
        self.origins = origins
    }

    /// Returns true if the certificate is presented to a peer of this origin.
    public func isShown(to origin: HTTPURL.Origin) -> Bool {
        origins.isEmpty || origins.contains(origin)
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// A fixed text without the key.
    public var description: String { "a client certificate" }

    /// An empty mirror, so that the key is never dumped.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
