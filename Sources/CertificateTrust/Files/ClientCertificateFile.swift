import COpenSSL
package import Transfer

/// A client certificate with its key, as files hold it.
package enum ClientCertificateFile {
    /// The most bytes of a file.
    package static let maxBytes = 1024 * 1024

    /// Reads a chain and its key.
    ///
    /// - Parameters:
    ///   - certificate: PEM with the chain, the certificate itself first; or PKCS #12 (RFC 7292), which has the key too.
    ///   - key: PEM or DER with the key; without it the key is in `certificate`.
    ///   - password: Opens the key, or the PKCS #12 file.
    /// - Throws: When something cannot be read, or the key is not that of the certificate. The error tells nothing of
    ///   the password or the key.
    package static func read(
        certificate: [UInt8], key: [UInt8]? = nil, password: String? = nil
    ) throws(CertificateError) -> ClientCertificate {
        guard certificate.count <= maxBytes, (key?.count ?? 0) <= maxBytes else {
            throw CertificateError(.malformed, "A client certificate or key has at most \(maxBytes) bytes")
        }
        let secret = try Password(password)
        if !PEMBlock.isPEM(certificate), let archive = KeyArchive(certificate) {
            guard key == nil else {
                throw CertificateError(.contradiction, "A PKCS #12 file has a key of its own: there is no other one")
            }
            return try archive.open(secret)
        }
        let chain = try CertificateFile.read(certificate)
        let privateKey = try PrivateKey(key ?? certificate, password: secret)
        return try client(chain: chain, key: privateKey)
    }

    /// Puts a chain and its key together.
    static func client(
        chain: [[UInt8]], key: borrowing PrivateKey
    ) throws(CertificateError) -> ClientCertificate {
        guard let first = chain.first else { throw CertificateError(.missing, "The file holds no certificate") }
        guard key.fits(try Certificate(der: first)) else {
            throw CertificateError(.foreignKey, "The private key is not that of the first certificate")
        }
        return ClientCertificate(chain: chain, privateKey: try key.pkcs8())
    }
}
