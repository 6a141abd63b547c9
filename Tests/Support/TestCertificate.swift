import CErrandGnuTLS
import Glibc

/// A generated P-256 certificate with its key.
package final class TestCertificate: @unchecked Sendable {
    // `@unchecked Sendable`: written only by `init`, and GnuTLS only reads it afterwards.
    private let certificate: gnutls_x509_crt_t
    private let key: gnutls_x509_privkey_t

    /// The failure of a GnuTLS call.
    package struct Failure: Error {
        package var code: Int32
    }

    /// The purpose of a certificate.
    package enum Purpose {
        case authority
        case server
        case client
        /// No purpose is stated.
        case anything
    }

    /// Creates a certificate.
    ///
    /// - Parameters:
    ///   - subject: The subject as text of RFC 4514.
    ///   - issuer: The issuer; self-signed by default.
    ///   - validFrom: The start of its validity, in seconds from now.
    ///   - validTo: The end of its validity, in seconds from now.
    package init(
        _ subject: String, _ purpose: Purpose, issuer: TestCertificate? = nil, validFrom: Int = -3600,
        validTo: Int = 86_400
    ) throws {
        var newKey: gnutls_x509_privkey_t?
        try check(gnutls_x509_privkey_init(&newKey))
        var newCertificate: gnutls_x509_crt_t?
        try check(gnutls_x509_crt_init(&newCertificate))
        guard let key = newKey, let certificate = newCertificate else { throw Failure(code: 0) }
        self.key = key
        self.certificate = certificate
        // The value of `GNUTLS_CURVE_TO_BITS` for a curve.
        let curve = 1 << 31 | GNUTLS_ECC_CURVE_SECP256R1.rawValue
        try check(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, curve, 0))
        try check(gnutls_x509_crt_set_version(certificate, 3))
        var serial = UInt64.random(in: 1...(1 << 60)).bigEndian
        try check(gnutls_x509_crt_set_serial(certificate, &serial, MemoryLayout<UInt64>.size))
        try check(gnutls_x509_crt_set_dn(certificate, subject, nil))
        try check(gnutls_x509_crt_set_key(certificate, key))
        try check(gnutls_x509_crt_set_activation_time(certificate, time(nil) + validFrom))
        try check(gnutls_x509_crt_set_expiration_time(certificate, time(nil) + validTo))
        try setPurpose(purpose)
        try check(
            gnutls_x509_crt_sign2(
                certificate, issuer?.certificate ?? certificate, issuer?.key ?? key, GNUTLS_DIG_SHA256, 0))
    }

    deinit {
        gnutls_x509_crt_deinit(certificate)
        gnutls_x509_privkey_deinit(key)
    }

    private func setPurpose(_ purpose: Purpose) throws {
        try check(gnutls_x509_crt_set_basic_constraints(certificate, purpose == .authority ? 1 : 0, -1))
        switch purpose {
        case .authority, .anything: break
        case .client: try check(gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_CLIENT, 0))
        case .server:
            try check(gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0))
            let address: [UInt8] = [127, 0, 0, 1]
            try check(
                gnutls_x509_crt_set_subject_alt_name(
                    certificate, GNUTLS_SAN_IPADDRESS, address, UInt32(address.count), UInt32(GNUTLS_FSAN_SET)))
        }
    }

    /// Returns the certificate as PEM.
    package func pem() throws -> [UInt8] {
        try Self.text { gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, $0) }
    }

    /// Returns the certificate as DER.
    package func der() throws -> [UInt8] {
        try Self.text { gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_DER, $0) }
    }

    /// Returns the key as PEM.
    package func keyPEM() throws -> [UInt8] {
        try Self.text { gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, $0) }
    }

    private static func text(_ export: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32) throws -> [UInt8] {
        var datum = gnutls_datum_t()
        try check(export(&datum))
        defer { cgnutls_free(datum.data) }
        return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }
}

/// Throws a failure for an error code of GnuTLS.
func check(_ code: Int32) throws {
    guard code >= 0 else { throw TestCertificate.Failure(code: code) }
}
