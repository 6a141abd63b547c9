import CErrandOpenSSL

/// A certificate parsed by OpenSSL (RFC 5280).
///
/// Owns a reference; the certificate is never modified.
final class Certificate {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Parses one certificate in DER, without trailing bytes.
    ///
    /// - Parameter name: The subject of the error message, at the beginning of a sentence.
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
        guard let read else { throw CertificateError(.malformed, "\(name()) is not a certificate in DER") }
        self.init(adopting: read)
    }

    /// Adds a reference to a certificate that has another owner.
    convenience init(sharing pointer: OpaquePointer) {
        // Fails only if the reference count overflows: no certificate has 2³¹ owners.
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

    /// Returns the SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4).
    func publicKeySHA256() throws(CertificateError) -> [UInt8] {
        try sha256Digest(of: try derBytes { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) })
    }

    /// A Boolean value that indicates whether subject and issuer have the same name.
    var isSelfIssued: Bool {
        X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0
    }

    /// A Boolean value that indicates whether the basic constraints mark the certificate as a CA's (RFC 5280 §4.2.1.9).
    ///
    /// OpenSSL alone would also accept a `keyUsage`, a Netscape extension or a version 1 certificate as a CA.
    var isAuthority: Bool { X509_check_ca(pointer) == 1 }

    /// Returns whether another certificate's key has signed this one.
    func isIssued(by issuer: Certificate) -> Bool {
        ErrorQueue.preserving {
            guard X509_check_issued(issuer.pointer, pointer) == X509_V_OK,
                let key = X509_get0_pubkey(issuer.pointer)
            else { return false }
            return X509_verify(pointer, key) == 1
        }
    }
}
