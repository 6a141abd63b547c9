import CErrandGnuTLS
import CErrandMicroHTTPD
import Glibc

/// The TLS credentials of libmicrohttpd, as texts that end with NUL.
///
/// `deinit` frees the texts and wipes the key.
final class TLSCredentials {
    /// The priorities: TLS 1.2 and 1.3 with GnuTLS's own choice of algorithms, in the order that the server prefers.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

    private let certificates: Text
    private let key: Text
    private let authorities: Text?

    /// Validates the configuration.
    ///
    /// - Throws: ``MicroHTTPServerError`` with the reason.
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
            // Without an authority no client could be verified.
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

    /// Calls `body` with the options that start a daemon.
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
            // GnuTLS only reads the data, in spite of the type.
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count))
            return body(&datum)
        }
    }

    /// Bytes and a NUL at a stable address; wiped by `deinit`.
    private final class Text {
        let start: UnsafeMutablePointer<CChar>
        private let count: Int

        /// Creates a text; returns `nil` if the bytes contain NUL, because C would see only the part before it.
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
