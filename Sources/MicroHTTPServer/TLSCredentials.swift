import CGnuTLS
import CMicroHTTPD
import Glibc

/// What libmicrohttpd needs for TLS, as texts that end with NUL.
///
/// Frees the texts, and wipes the key, when it goes.
final class TLSCredentials {
    /// TLS 1.2 and 1.3 with GnuTLS's own choice of algorithms, of which the server's favourite is taken.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

    private let certificates: Text
    private let key: Text
    private let authorities: Text?

    /// Checks what the configuration gives.
    ///
    /// - Throws: ``MicroHTTPServerError`` that says what is wrong with it.
    init(_ configuration: ServerConfiguration.TLS) throws(MicroHTTPServerError) {
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) == GNUTLS_E_SUCCESS else {
            throw MicroHTTPServerError(.outOfResources)
        }
        defer { gnutls_certificate_free_credentials(credentials) }
        var code = Self.withDatum(configuration.certificateChain) { chain in
            Self.withDatum(configuration.privateKey) { key in
                gnutls_certificate_set_x509_key_mem2(credentials, chain, key, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard code >= 0 else { throw Self.failure(.invalidCertificate, code) }
        if let authorities = configuration.clientAuthorities {
            code = Self.withDatum(authorities) {
                gnutls_certificate_set_x509_trust_mem(credentials, $0, GNUTLS_X509_FMT_PEM)
            }
            // Without a certificate nobody could be verified.
            guard code > 0 else {
                throw Self.failure(.invalidAuthorities, code == 0 ? GNUTLS_E_NO_CERTIFICATE_FOUND : code)
            }
        }
        guard let certificates = Text(configuration.certificateChain), let key = Text(configuration.privateKey) else {
            throw MicroHTTPServerError(.invalidCertificate, reason: "a PEM text contains NUL")
        }
        self.certificates = certificates
        self.key = key
        guard let bytes = configuration.clientAuthorities else {
            authorities = nil
            return
        }
        guard let authorities = Text(bytes) else {
            throw MicroHTTPServerError(.invalidAuthorities, reason: "a PEM text contains NUL")
        }
        self.authorities = authorities
    }

    /// Calls `body` with what starts a daemon.
    ///
    /// The daemon refers to the authorities: this object has to outlive it.
    func withOptions<T>(_ body: (UnsafePointer<cmicrohttpd_tls>) -> T) -> T {
        Self.priorities.withCString { priorities in
            var options = cmicrohttpd_tls(
                certificates: certificates.start, key: key.start, authorities: authorities?.start,
                priorities: priorities)
            return body(&options)
        }
    }

    private static func failure(_ code: MicroHTTPServerError.Code, _ number: Int32) -> MicroHTTPServerError {
        MicroHTTPServerError(code, reason: gnutls_strerror(number).map { String(cString: $0) })
    }

    private static func withDatum(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
        bytes.withUnsafeBufferPointer { buffer in
            // GnuTLS only reads it, in spite of the type.
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count))
            return body(&datum)
        }
    }

    /// Bytes and a NUL, at an address that does not change; wiped when they go.
    private final class Text {
        let start: UnsafeMutablePointer<CChar>
        private let count: Int

        /// `nil` for bytes with a NUL among them, of which C would see the first part only.
        init?(_ bytes: [UInt8]) {
            guard !bytes.contains(0) else { return nil }
            count = bytes.count + 1
            start = .allocate(capacity: count)
            start.initialize(repeating: 0, count: count)
            UnsafeMutableRawPointer(start).copyMemory(from: bytes, byteCount: bytes.count)
        }

        deinit {
            explicit_bzero(start, count)
            start.deallocate()
        }
    }
}
