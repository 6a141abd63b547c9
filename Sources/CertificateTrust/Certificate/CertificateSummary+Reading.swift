import COpenSSL
package import Transfer

extension CertificateSummary {
    /// Reads a certificate in DER.
    ///
    /// Its names are bounded to 160 characters and in printable ASCII, everything else is escaped as RFC 4514 §2.4 does.
    package init(der: [UInt8]) throws(CertificateError) {
        try self.init(Certificate(der: der))
    }

    /// What there is to tell about a certificate.
    init(_ certificate: Certificate) throws(CertificateError) {
        guard let notBefore = secondsSince1970(X509_get0_notBefore(certificate.pointer)),
            let notAfter = secondsSince1970(X509_get0_notAfter(certificate.pointer))
        else { throw CertificateError(.malformed, "A certificate's time of validity cannot be read") }
        self.init(
            subject: certificate.subject, issuer: certificate.issuer,
            sha256: try sha256Digest(of: try certificate.der()),
            publicKeySHA256: try certificate.publicKeySHA256(), notBefore: notBefore, notAfter: notAfter)
    }
}
