import CertificateTrust
public import SessionCore
public import Transfer

extension TrustAnchors {
    /// The certificates of a file, instead of the system's roots.
    ///
    /// ```swift
    /// configuration.connection.tls.trust.anchors = try .certificates(in: [UInt8](Data(contentsOf: url)))
    /// ```
    ///
    /// - Parameter file: One certificate in DER, or any number in PEM.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` when it has none, or one that cannot be read.
    public static func certificates(in file: [UInt8]) throws(SessionError) -> TrustAnchors {
        try withTrustErrors { () throws(CertificateError) in .certificates(try CertificateFile.read(file)) }
    }
}

extension CertificatePin {
    /// A pin of a public key, as `errand pin` and libcurl write it.
    ///
    /// - Parameter text: `sha256//` and the Base64 of the SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4).
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` for another text.
    public static func publicKey(_ text: String) throws(SessionError) -> CertificatePin {
        try withTrustErrors { () throws(CertificateError) in try CertificatePin.parse(text) }
    }

    /// The certificates of a file as pins.
    ///
    /// - Parameters:
    ///   - file: One certificate in DER, or any number in PEM.
    ///   - label: What messages and metrics call them.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` when it has none, or one that cannot be read.
    public static func certificates(in file: [UInt8], label: String) throws(SessionError) -> [CertificatePin] {
        try withTrustErrors { () throws(CertificateError) in try CertificatePin.read(file, label: label) }
    }
}

extension ClientCertificate {
    /// The certificate and the key of files.
    ///
    /// - Parameters:
    ///   - file: The certificate and those that lead to its root, in PEM; or an archive (PKCS #12) with the key in it.
    ///   - key: The key in PEM; `nil`, the default, for an archive.
    ///   - password: What opens the key or the archive. Default: nothing.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` when one of them cannot be read, or the key is another's.
    public static func read(
        certificate file: [UInt8], key: [UInt8]? = nil, password: String? = nil
    ) throws(SessionError) -> ClientCertificate {
        try withTrustErrors { () throws(CertificateError) in
            try ClientCertificateFile.read(certificate: file, key: key, password: password)
        }
    }
}

/// Does what may fail for a file, and throws what the library's users know.
private func withTrustErrors<Value>(_ body: () throws(CertificateError) -> Value) throws(SessionError) -> Value {
    do throws(CertificateError) {
        return try body()
    } catch {
        throw SessionError(.secureConnectionFailed, error.message)
    }
}
