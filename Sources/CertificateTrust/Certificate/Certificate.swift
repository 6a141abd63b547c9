import COpenSSL

/// A certificate that OpenSSL has read (RFC 5280).
///
/// Owns a reference; nothing changes the certificate afterwards.
final class Certificate {
    let pointer: OpaquePointer

    /// Takes over a reference.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Reads one certificate in DER, with nothing after it.
    ///
    /// - Parameter name: What the error is about, at the beginning of a sentence.
    convenience init(der: [UInt8], name: @autoclosure () -> String = "It") throws(CertificateError) {
        let read: OpaquePointer? = ErrorQueue.preserving {
            der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
                guard let start = bytes.baseAddress, position == start + bytes.count else {
                    X509_free(certificate)
                    return nil
                }
                return certificate
            }
        }
        guard let read else { throw CertificateError(.malformed, "\(name()) is no certificate in DER") }
        self.init(adopting: read)
    }

    /// Adds a reference to one that somebody else owns.
    convenience init(sharing pointer: OpaquePointer) {
        // Fails for a count that has overflowed only: no certificate has 2³¹ owners.
        X509_up_ref(pointer)
        self.init(adopting: pointer)
    }

    deinit {
        X509_free(pointer)
    }

    /// The certificate in DER.
    func der() throws(CertificateError) -> [UInt8] {
        try derBytes { i2d_X509(pointer, $0) }
    }

    /// The SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4).
    func publicKeySHA256() throws(CertificateError) -> [UInt8] {
        try sha256Digest(of: try derBytes { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) })
    }

    /// Whether its issuer is itself, by name: nobody else vouches for it.
    var isSelfIssued: Bool {
        X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0
    }

    /// Whether it is marked as an authority's by its basic constraints (RFC 5280 §4.2.1.9).
    ///
    /// OpenSSL alone would also take a `keyUsage` or a mark of Netscape's for it, and a version 1 certificate.
    var isAuthority: Bool { X509_check_ca(pointer) == 1 }

    /// Whether another certificate's key has signed this one.
    func isIssued(by issuer: Certificate) -> Bool {
        ErrorQueue.preserving {
            guard X509_check_issued(issuer.pointer, pointer) == X509_V_OK,
                let key = X509_get0_pubkey(issuer.pointer)
            else { return false }
            return X509_verify(pointer, key) == 1
        }
    }
}
