import CErrandOpenSSL
package import ErrandTransfer

/// A reader of files with a client certificate and its key.
package enum ClientCertificateFile {
    /// The most bytes of a file.
    package static let maxBytes = 1024 * 1024

    /// Reads a chain and its key.
    ///
    /// - Parameters:
    ///   - certificate: PEM with the chain, the certificate itself first; or PKCS #12 (RFC 7292), which also contains
    ///     the key.
    ///   - key: PEM or DER with the key; without it the key is in `certificate`.
    ///   - password: The password of the key or of the PKCS #12 file.
    /// - Throws: ``CertificateError`` if something cannot be read, or the key does not belong to the certificate. The
    ///   error contains nothing of the password or the key.
    package static func read(
        certificate: [UInt8], key: [UInt8]? = nil, password: String? = nil
    ) throws(CertificateError) -> ClientCertificate {
        guard certificate.count <= maxBytes, (key?.count ?? 0) <= maxBytes else {
            throw CertificateError(.malformed, "The client certificate or key is larger than \(maxBytes) bytes")
        }
        let secret = try Password(password)
        if !PEMBlock.isPEM(certificate), let archive = KeyArchive(certificate) {
            guard key == nil else {
                throw CertificateError(.contradiction, "A PKCS #12 file contains its own key; remove the separate key")
            }
            return try archive.open(secret)
        }
        let chain = try CertificateFile.read(certificate)
        let privateKey = try PrivateKey(key ?? certificate, password: secret)
        return try client(chain: chain, key: privateKey)
    }

    /// Combines a chain and its key.
    static func client(
        chain: [[UInt8]], key: borrowing PrivateKey
    ) throws(CertificateError) -> ClientCertificate {
        guard let first = chain.first else { throw CertificateError(.missing, "The file contains no certificate") }
        guard key.fits(try Certificate(der: first)) else {
            throw CertificateError(.foreignKey, "The private key does not belong to the first certificate")
        }
        return ClientCertificate(chain: chain, privateKey: try key.pkcs8())
    }
}
