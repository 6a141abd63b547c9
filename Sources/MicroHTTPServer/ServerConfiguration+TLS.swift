extension ServerConfiguration {
    /// What a server proves itself with over TLS 1.2 and 1.3, and whom it believes.
    ///
    /// Read when the server starts: ``MicroHTTPServer/start()`` says what is wrong with it.
    public struct TLS: Sendable, Hashable {
        /// The certificate of the server, then those that lead from it to its root, as PEM.
        public var certificateChain: [UInt8]
        /// The key of the certificate as PEM, without a password.
        public var privateKey: [UInt8]
        /// The authorities that client certificates have to come from, as PEM; `nil`, the default, to ask for none.
        ///
        /// With it each request has to come over a connection whose client has proved to own a certificate that is
        /// valid now, meant for TLS clients (RFC 5280 §4.2.1.12), and issued by one of these or under it. Other requests
        /// are answered with a 403 before the handler hears of them, and their connection is closed.
        /// ``HTTPServer/RequestHead/clientCertificate`` is the subject.
        public var clientAuthorities: [UInt8]?

        /// Creates what a server needs.
        public init(certificateChain: [UInt8], privateKey: [UInt8], clientAuthorities: [UInt8]? = nil) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
            self.clientAuthorities = clientAuthorities
        }
    }
}

extension ServerConfiguration.TLS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says nothing about the key.
    public var description: String {
        clientAuthorities == nil ? "TLS" : "TLS with client certificates"
    }

    /// Says nothing about the key.
    public var debugDescription: String { description }

    /// Has no children, so that `dump` does not show the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
