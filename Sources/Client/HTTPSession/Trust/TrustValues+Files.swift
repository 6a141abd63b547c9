import ErrandCertificateTrust
public import ErrandSessionCore
public import ErrandTransfer

extension TrustAnchors {
    /// Reads the certificates of a file, to be trusted instead of the system's roots.
    ///
    /// ```swift
    /// configuration.connection.tls.trust.anchors = try .certificates(in: [UInt8](Data(contentsOf: url)))
    /// ```
    ///
    /// - Parameter file: One certificate in DER, or any number in PEM.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` if it contains none, or an invalid one.
    public static func certificates(in file: [UInt8]) throws(SessionError) -> TrustAnchors {
        try withTrustErrors { () throws(CertificateError) in .certificates(try CertificateFile.read(file)) }
    }
}

extension CertificatePin {
    /// Creates a pin of a public key from the text that `errand pin` and libcurl write.
    ///
    /// - Parameter text: `sha256//` and the Base64 of the SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4).
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` for another text.
    public static func publicKey(_ text: String) throws(SessionError) -> CertificatePin {
        try withTrustErrors { () throws(CertificateError) in try CertificatePin.parse(text) }
    }

    /// Reads the certificates of a file as pins.
    ///
    /// - Parameters:
    ///   - file: One certificate in DER, or any number in PEM.
    ///   - label: The name of the pins in messages and metrics.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` if it contains none, or an invalid one.
    public static func certificates(in file: [UInt8], label: String) throws(SessionError) -> [CertificatePin] {
        try withTrustErrors { () throws(CertificateError) in try CertificatePin.read(file, label: label) }
    }
}

extension ClientCertificate {
    /// Reads a certificate and its key from the contents of files.
    ///
    /// - Parameters:
    ///   - file: The certificate and its chain, in PEM; or an archive (PKCS #12) that contains the key.
    ///   - key: The key in PEM; `nil`, the default, for an archive.
    ///   - password: The password of the key or the archive. Default: none.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` if one of them cannot be read, or the key belongs to
    ///   another certificate.
    public static func read(
        certificate file: [UInt8], key: [UInt8]? = nil, password: String? = nil
    ) throws(SessionError) -> ClientCertificate {
        try withTrustErrors { () throws(CertificateError) in
            try ClientCertificateFile.read(certificate: file, key: key, password: password)
        }
    }
}

/// Calls `body` and converts its errors into those of the session manager.
private func withTrustErrors<Value>(_ body: () throws(CertificateError) -> Value) throws(SessionError) -> Value {
    do throws(CertificateError) {
        return try body()
    } catch {
        // The same file is no better at a later time.
        throw SessionError(.secureConnectionFailed, error.message, isRetryable: false)
    }
}
