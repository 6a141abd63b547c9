import CErrandOpenSSL
package import ErrandTransfer

extension CertificateSummary {
    /// Parses a certificate in DER.
    ///
    /// Its names are limited to 160 characters of printable ASCII; other characters are escaped as in RFC 4514 §2.4.
    package init(der: [UInt8]) throws(CertificateError) {
        try self.init(Certificate(der: der))
    }

    /// Summarises a certificate.
    init(_ certificate: Certificate) throws(CertificateError) {
        guard let notBefore = secondsSince1970(X509_get0_notBefore(certificate.pointer)),
            let notAfter = secondsSince1970(X509_get0_notAfter(certificate.pointer))
        else { throw CertificateError(.malformed, "The validity period of a certificate cannot be read") }
        self.init(
            subject: certificate.subject, issuer: certificate.issuer,
            sha256: try sha256Digest(of: try certificate.der()),
            publicKeySHA256: try certificate.publicKeySHA256(), notBefore: notBefore, notAfter: notAfter)
    }
}
