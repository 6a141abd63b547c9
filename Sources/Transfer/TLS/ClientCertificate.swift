/// A certificate with its private key, which a session shows to peers that ask for one (RFC 8446 §4.3.2).
public struct ClientCertificate: Sendable, Hashable {
    /// The chain in DER, the certificate itself first.
    public var chain: [[UInt8]]
    /// The private key in PKCS #8, DER, not encrypted.
    ///
    /// A secret: it is in no description.
    public var privateKey: [UInt8]
    /// Where it is shown; empty for everywhere.
    ///
    /// Credentials do not leave the origin they were given for.
    public var origins: Set<HTTPURL.Origin>

    /// Creates a certificate; shown everywhere by default.
    public init(chain: [[UInt8]], privateKey: [UInt8], origins: Set<HTTPURL.Origin> = []) {
        self.chain = chain
        self.privateKey = privateKey
        self.origins = origins
    }

    /// Whether a peer of this origin is shown it.
    public func isShown(to origin: HTTPURL.Origin) -> Bool {
        origins.isEmpty || origins.contains(origin)
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Nothing of the key.
    public var description: String { "a client certificate" }

    /// Nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
