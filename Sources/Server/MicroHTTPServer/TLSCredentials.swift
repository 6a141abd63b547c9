import CErrandGnuTLS

/// The certificate of a server with its key, and the authorities of its clients, for the TLS sessions of connections.
///
/// libmicrohttpd reads such files only at its start. So each session gets the credentials from this package
/// (``TLSSession/use(_:)``), and the next session may get others.
///
/// `@unchecked Sendable`: nothing changes after `init`, and GnuTLS only reads credentials that sessions share.
final class TLSCredentials: @unchecked Sendable {
    /// The object of GnuTLS, to which sessions refer without owning it.
    let handle: gnutls_certificate_credentials_t
    /// True if sessions request a certificate from the client.
    let verifiesClients: Bool

    /// Validates the configuration.
    ///
    /// - Throws: ``MicroHTTPServerError`` with the reason.
    init(_ configuration: ServerConfiguration.TLS) throws(MicroHTTPServerError) {
        var allocated: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&allocated) == GNUTLS_E_SUCCESS, let handle = allocated else {
            throw MicroHTTPServerError(.outOfResources)
        }
        self.handle = handle
        verifiesClients = configuration.clientAuthorities != nil
        var code = Self.withDatum(configuration.certificateChain) { chain in
            Self.withDatum(configuration.privateKey) { key in
                gnutls_certificate_set_x509_key_mem2(handle, chain, key, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard code >= 0 else { throw Self.failure(.invalidCertificate, code) }
        guard let authorities = configuration.clientAuthorities else { return }
        code = Self.withDatum(authorities) {
            gnutls_certificate_set_x509_trust_mem(handle, $0, GNUTLS_X509_FMT_PEM)
        }
        // Without an authority no client could be verified.
        guard code > 0 else {
            throw Self.failure(.invalidAuthorities, code == 0 ? GNUTLS_E_NO_CERTIFICATE_FOUND : code)
        }
    }

    deinit {
        gnutls_certificate_free_credentials(handle)
    }

    private static func failure(_ code: MicroHTTPServerError.Code, _ number: Int32) -> MicroHTTPServerError {
        MicroHTTPServerError(code, reason: gnutls_strerror(number).map { String(cString: $0) })
    }

    private static func withDatum(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
        bytes.withUnsafeBufferPointer { buffer in
            // GnuTLS only reads the data, in spite of the type.
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count))
            return body(&datum)
        }
    }
}
