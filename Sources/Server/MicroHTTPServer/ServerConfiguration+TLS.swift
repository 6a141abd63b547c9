extension ServerConfiguration {
    /// The certificates of a server for TLS 1.2 and 1.3, and the authorities that it trusts.
    ///
    /// They are read when the server starts: ``MicroHTTPServer/start()`` throws if they are invalid, also if no listener
    /// uses them. ``MicroHTTPServer/replaceTLS(with:)`` replaces them while it runs, such as by a renewed certificate.
    public struct TLS: Sendable, Hashable {
        /// The certificate of the server, followed by its intermediate certificates, as PEM.
        public var certificateChain: [UInt8]
        /// The private key of the certificate as PEM, without a password.
        public var privateKey: [UInt8]
        /// The authorities of client certificates, as PEM; `nil`, the default, requests no client certificates.
        ///
        /// If set, each request requires a connection whose client has proved possession of a certificate that is
        /// meant for TLS clients (RFC 5280 §4.2.1.12), issued under one of these authorities, and valid at the first
        /// request of the connection. Other requests get a 403 before they reach the handler, and their connection is
        /// closed. ``ErrandHTTPServer/RequestHead/clientCertificate`` is the subject.
        public var clientAuthorities: [UInt8]?

        /// Creates the TLS configuration.
        public init(certificateChain: [UInt8], privateKey: [UInt8], clientAuthorities: [UInt8]? = nil) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
            self.clientAuthorities = clientAuthorities
        }

        /// Checks that a server can use the certificates and the key.
        ///
        /// - Throws: ``MicroHTTPServerError`` with the reason.
        public func validate() throws(MicroHTTPServerError) {
            _ = try TLSCredentials(self)
        }
    }
}

extension ServerConfiguration.TLS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the key.
    public var description: String {
        clientAuthorities == nil ? "TLS" : "TLS with client certificates"
    }

    /// A description without the key.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not show the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
