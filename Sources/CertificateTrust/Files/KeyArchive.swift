import COpenSSL
import Transfer

/// A PKCS #12 file (RFC 7292): certificates and a key behind one password.
struct KeyArchive: ~Copyable {
    private let pointer: OpaquePointer

    /// Reads a file without opening it; `nil` when it is something else.
    init?(_ file: [UInt8]) {
        let read = ErrorQueue.preserving {
            file.withUnsafeBufferPointer { bytes -> OpaquePointer? in
                var position = bytes.baseAddress
                return d2i_PKCS12(nil, &position, bytes.count)
            }
        }
        guard let read else { return nil }
        pointer = read
    }

    deinit {
        PKCS12_free(pointer)
    }

    /// Opens it.
    func open(_ password: borrowing Password) throws(CertificateError) -> ClientCertificate {
        var (key, certificate, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        let (status, reasons) = password.withCString { text in
            ErrorQueue.collecting { PKCS12_parse(pointer, text, &key, &certificate, &others) }
        }
        defer { copenssl_certificates_release(others) }
        let ownCertificate = certificate.map { Certificate(adopting: $0) }
        guard let key else { throw Self.fault(status: status, hasPassword: password.isGiven, reasons) }
        let privateKey = PrivateKey(adopting: key)
        guard status == 1 else { throw Self.fault(status: status, hasPassword: password.isGiven, reasons) }
        guard let ownCertificate else {
            throw CertificateError(.missing, "The PKCS #12 file holds no certificate of its key")
        }
        var chain = [try ownCertificate.der()]
        for certificate in CertificateList.shared(others) { chain.append(try certificate.der()) }
        return try ClientCertificateFile.client(chain: chain, key: privateKey)
    }

    /// Why it could not be opened.
    private static func fault(status: Int32, hasPassword: Bool, _ reasons: [String]) -> CertificateError {
        if status == 1 { return CertificateError(.missing, "The PKCS #12 file holds no private key") }
        if reasons.contains("mac verify failure") {
            return hasPassword
                ? CertificateError(.password, "The password does not open the PKCS #12 file")
                : CertificateError(.password, "The PKCS #12 file is encrypted, and there is no password")
        }
        if reasons.contains("unsupported") {
            return CertificateError(
                .unsupported,
                "The PKCS #12 file is encrypted with an old algorithm, such as RC2, which OpenSSL 3 has not without its "
                    + "legacy provider: export it again with AES")
        }
        return CertificateError(.malformed, "The PKCS #12 file cannot be read")
    }
}
